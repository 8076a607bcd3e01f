"""Every metric, declared once, typed and commented."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

REGISTRY = CollectorRegistry()
_LAG_BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800)
_WORK_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10)

EVENTS_IN = Counter(
    "lithify_events_in_total", "Events taken from Kafka and finished with.", ["worker"], registry=REGISTRY
)
EVENTS_REPEATED = Counter(
    "lithify_events_repeated_total", "Events that had been applied before.", ["worker"], registry=REGISTRY
)
EVENTS_OUT = Counter(
    "lithify_events_out_total",
    "Events that the relay published and the broker acknowledged.",
    ["worker"],
    registry=REGISTRY,
)
DEAD_LETTERS = Counter(
    "lithify_dead_letters_total", "Events moved to the dead letters.", ["worker", "cause"], registry=REGISTRY
)
DEFERRED = Counter("lithify_deferred_total", "Events parked until later.", ["worker"], registry=REGISTRY)
DROPPED = Counter(
    "lithify_dropped_total", "Events of an erased epoch or an unknown subject.", ["worker"], registry=REGISTRY
)
SKIPPED = Counter("lithify_skipped_total", "Turns with nothing to read in them.", ["worker"], registry=REGISTRY)
PASSED_OVER = Counter(
    "lithify_events_passed_over_total",
    "Events that retention removed from the topic before this worker read them.",
    ["worker"],
    registry=REGISTRY,
)
RETRIES = Counter(
    "lithify_retries_total", "Batches tried again after a transient fault.", ["worker"], registry=REGISTRY
)
BATCH_SECONDS = Histogram(
    "lithify_batch_seconds",
    "Duration of one batch, from decoding to commit.",
    ["worker"],
    buckets=_WORK_BUCKETS,
    registry=REGISTRY,
)
BATCH_EVENTS = Histogram(
    "lithify_batch_events",
    "Events in one batch.",
    ["worker"],
    buckets=(1, 2, 5, 10, 20, 50, 100, 200, 500),
    registry=REGISTRY,
)
LAG_SECONDS = Histogram(
    "lithify_end_to_end_seconds",
    "From the receipt of the inbound event to the commit of this worker's work on it.",
    ["worker"],
    buckets=_LAG_BUCKETS,
    registry=REGISTRY,
)
OUTBOX_FAILURES = Counter("lithify_relay_failures_total", "Faults of the outbox relay.", ["worker"], registry=REGISTRY)
PERIODIC_FAILURES = Counter(
    "lithify_periodic_failures_total", "Faults of recurring work.", ["worker", "name"], registry=REGISTRY
)
ASSIGNED = Gauge("lithify_assigned_partitions", "Partitions this process reads.", ["worker"], registry=REGISTRY)
VERDICTS = Counter("lithify_verdicts_total", "Verdicts by kind and rule.", ["kind", "rule"], registry=REGISTRY)
CLAIMS = Counter("lithify_claims_total", "Claims kept as evidence, by basis.", ["basis"], registry=REGISTRY)
REJECTS = Counter(
    "lithify_rejects_total", "Candidate statements that did not become claims.", ["code"], registry=REGISTRY
)
REDACTIONS = Counter(
    "lithify_redactions_total", "Replaced secrets and identifiers, by type.", ["type"], registry=REGISTRY
)
SESSION_ENDS = Counter("lithify_session_ends_total", "Session ends published by the ticker.", registry=REGISTRY)
REPUBLISHED = Counter(
    "lithify_republished_total", "Turns without an outcome that were published again.", registry=REGISTRY
)
SHADOW_FOLDS = Counter(
    "lithify_shadow_folds_total",
    "Folds under the shadow policy, by what first differs: facts, overrides, contenders or nothing.",
    ["differs"],
    registry=REGISTRY,
)
SLOTS_REFLECTED = Counter("lithify_slots_reflected_total", "Slots whose due change was published.", registry=REGISTRY)
EPISODES = Counter("lithify_episodes_total", "Episodes written.", registry=REGISTRY)

REQUESTS = Counter(
    "lithify_gateway_requests_total", "Requests answered.", ["method", "route", "status"], registry=REGISTRY
)
REQUEST_SECONDS = Histogram(
    "lithify_gateway_request_seconds",
    "Duration of a request, from its head to its last byte.",
    ["route"],
    buckets=_WORK_BUCKETS,
    registry=REGISTRY,
)
BLEND_SECONDS = Histogram(
    "lithify_gateway_blend_seconds",
    "Composing a context block from memory, without the database and without embedding.",
    buckets=_WORK_BUCKETS,
    registry=REGISTRY,
)
CONTEXT_NOTICES = Counter(
    "lithify_gateway_context_notices_total",
    "Context blocks that came about in a lesser way.",
    ["code"],
    registry=REGISTRY,
)
STATE_READS = Counter(
    "lithify_gateway_state_reads_total",
    "Where a user's state came from: cache or database.",
    ["source"],
    registry=REGISTRY,
)
