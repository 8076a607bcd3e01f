"""Every metric, declared once, typed and commented.

Two kinds: what a process counts about itself (`REGISTRY`), and what the exporter or a pool reads anew at each scrape
(`Measured`): there a series that cannot be read is absent, because unknown is not 0.
No label has a value per user, tenant, turn or slot.
"""

import math
from dataclasses import dataclass

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

from pipelines.failures import Cause

REGISTRY = CollectorRegistry()
_LAG_BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 21600, 86400)
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
    "lithify_dropped_total",
    "Events of an erased epoch, or of a subject or turn that is not stored.",
    ["worker"],
    registry=REGISTRY,
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
END_TO_END_SECONDS = Histogram(
    "lithify_end_to_end_seconds",
    "From a turn's receipt, or from when it was said, to the commit of a worker's work; turn to fact: conflict.",
    ["worker", "since"],
    buckets=_LAG_BUCKETS,
    registry=REGISTRY,
)
OUTBOX_FAILURES = Counter("lithify_relay_failures_total", "Faults of the outbox relay.", ["worker"], registry=REGISTRY)
PERIODIC_FAILURES = Counter(
    "lithify_periodic_failures_total", "Faults of recurring work.", ["worker", "name"], registry=REGISTRY
)
ASSIGNED = Gauge("lithify_assigned_partitions", "Partitions this process reads.", ["worker"], registry=REGISTRY)
LOOP_LAG_SECONDS = Histogram(
    "lithify_event_loop_lag_seconds",
    "How much later than asked for the event loop woke up: what a blocking call costs everybody.",
    ["worker"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
    registry=REGISTRY,
)
VERDICTS = Counter(
    "lithify_verdicts_total",
    "Verdicts that were written, by kind and rule; lapses and promotions count when they are scheduled.",
    ["kind", "rule"],
    registry=REGISTRY,
)
CLAIMS = Counter("lithify_claims_total", "Claims kept as evidence, by basis.", ["basis"], registry=REGISTRY)
REJECTS = Counter(
    "lithify_rejects_total", "Candidate statements that did not become claims.", ["code"], registry=REGISTRY
)
REDACTIONS = Counter(
    "lithify_redactions_total", "Replaced secrets and identifiers, by kind.", ["kind"], registry=REGISTRY
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

MODEL_CALLS = Counter(
    "lithify_model_calls_total",
    "Calls of the model by what came of them: ok, ok_tolerant (found among other text), stored (answered before), why "
    "the reply could not be used, or why there was none.",
    ["outcome"],
    registry=REGISTRY,
)
MODEL_SECONDS = Histogram(
    "lithify_model_call_seconds",
    "Duration of one call of the model.",
    buckets=(0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600),
    registry=REGISTRY,
)
MODEL_TOKENS = Counter(
    "lithify_model_tokens_total", "Tokens as the endpoint counted them.", ["kind"], registry=REGISTRY
)
MODEL_COST = Counter(
    "lithify_model_cost_usd_total", "Cost of calls by the prices set, in US dollars.", registry=REGISTRY
)
MODEL_TURNS = Counter(
    "lithify_model_turns_total",
    "What became of turns shown to the model: accepted, no_facts, failed_transient, failed_permanent.",
    ["outcome"],
    registry=REGISTRY,
)
MODEL_REJECTS = Counter(
    "lithify_model_rejects_total", "Statements of the model that did not become claims.", ["code"], registry=REGISTRY
)
MODEL_REFUSED = Counter(
    "lithify_model_generations_refused_total",
    "Replies not taken because too many active facts would have been closed.",
    registry=REGISTRY,
)
MODEL_BREAKER = Gauge(
    "lithify_model_breaker_open", "1 while the model is not asked because it failed, else 0.", registry=REGISTRY
)
MODEL_LIMITED = Counter(
    "lithify_model_limited_total", "Times a tenant had to wait for its rate or cost.", ["limit"], registry=REGISTRY
)
MODEL_QUEUE = Gauge(
    "lithify_model_queue_turns", "Turns that wait for the model or were given up.", ["state"], registry=REGISTRY
)
MODEL_BUDGET_SPENT = Gauge(
    "lithify_model_budget_spent_ratio",
    "Share of its budget of 24 hours that the tenant has spent who has spent most; NaN: there is no budget.",
    registry=REGISTRY,
)
MODEL_BUDGET_SPENT.set(math.nan)

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


@dataclass(frozen=True, slots=True)
class Measured:
    """A metric that is read at each scrape: a counter if its name ends in `_total`, else a gauge."""

    name: str
    documentation: str
    labels: tuple[str, ...]

    @property
    def kind(self) -> str:
        """As Prometheus calls it."""
        return "counter" if self.name.endswith("_total") else "gauge"

    def family(self) -> CounterMetricFamily | GaugeMetricFamily:
        """A family without series yet."""
        make = CounterMetricFamily if self.kind == "counter" else GaugeMetricFamily
        return make(self.name, self.documentation, labels=self.labels)


MEASURED: list[Measured] = []


def _measured(name: str, documentation: str, *labels: str) -> Measured:
    measured = Measured(name, documentation, labels)
    MEASURED.append(measured)
    return measured


POOL_LIMIT = _measured("lithify_pool_limit", "Most database connections the process may hold.", "pool")
POOL_SIZE = _measured("lithify_pool_size", "Database connections the process holds.", "pool")
POOL_IN_USE = _measured("lithify_pool_in_use", "Database connections that are lent out.", "pool")
POOL_WAITING = _measured("lithify_pool_waiting", "Requests that wait for a database connection.", "pool")
POOL_TIMEOUTS = _measured("lithify_pool_timeouts_total", "Requests that got no database connection in time.", "pool")

EXPORTER_UP = _measured("lithify_exporter_up", "1 if the exporter could read the source, else 0.", "source")
LAG_KNOWN = _measured("lithify_consumer_lag_known", "1 if the worker's lag could be read, else 0.", "worker")
LAG_SECONDS = _measured(
    "lithify_consumer_lag_seconds",
    "Age of the oldest event that the worker has not finished with; 0: it is caught up; absent: unknown.",
    *("worker", "topic", "partition"),
)
COMMIT_AGE_SECONDS = _measured(
    "lithify_consumer_commit_age_seconds",
    "How long the committed offset has not moved although there is something unread; 0: nothing is unread.",
    *("worker", "topic", "partition"),
)
LOST_OFFSETS = _measured(
    "lithify_consumer_lost_offsets",
    "Offsets between the committed one and the oldest that the broker still has: deleted before they were read.",
    *("worker", "topic", "partition"),
)
OUTBOX_EVENTS = _measured("lithify_outbox_events", "Events that wait for the relay.", "worker")
OUTBOX_AGE_SECONDS = _measured(
    "lithify_outbox_age_seconds", "Age of the oldest event in the outbox; 0: none.", "worker"
)
PARKED_EVENTS = _measured("lithify_parked_events", "Events that are parked until later.", "worker")
PARKED_OVERDUE_SECONDS = _measured(
    "lithify_parked_overdue_seconds", "How long the parked event that has waited longest is overdue; 0: none.", "worker"
)
OPEN_TURNS = _measured("lithify_open_turns", "Stored turns and commands that have not reached the end of the pipeline.")
OVERRIDES_ALIVE = _measured("lithify_overrides_alive", "Overrides that hold now.")
CONTENDERS_ALIVE = _measured("lithify_contenders_alive", "Contenders that gather evidence.")
CONTENDERS_NEAR = _measured(
    "lithify_contenders_near_threshold", "Contenders whose posterior is at least 0.8 of their threshold."
)
REFLECTION_DUE_SLOTS = _measured("lithify_reflection_due_slots", "Slots with a due change that is not published yet.")
REFLECTION_AGE_SECONDS = _measured(
    "lithify_reflection_age_seconds",
    "Since the last nightly run ended; before the first, since the schema was made.",
)
REFLECTION_RUN_SECONDS = _measured(
    "lithify_reflection_run_seconds", "Duration of the last nightly run; of one that is under way, until now."
)
REFLECTION_RUN_SLOTS = _measured("lithify_reflection_run_slots", "Slots that the last nightly run has done so far.")
ORACLE_CHECKED = _measured("lithify_oracle_checked", "Slots that the last nightly run that ended folded anew.")
ORACLE_MISMATCHES = _measured(
    "lithify_oracle_mismatches",
    "Of these, those that differed from what is stored. Always 0, unless something is wrong.",
)


def prepare(worker: str) -> None:
    """Give the series of a worker process their 0, so that the first event of a kind is seen as an increase."""
    for counter in (EVENTS_IN, EVENTS_REPEATED, EVENTS_OUT, DEFERRED, DROPPED, SKIPPED, RETRIES, OUTBOX_FAILURES):
        counter.labels(worker)
    for cause in Cause:
        DEAD_LETTERS.labels(worker, str(cause))
    for histogram in (BATCH_SECONDS, BATCH_EVENTS, LOOP_LAG_SECONDS):
        histogram.labels(worker)
    for since in ("received", "occurred"):
        END_TO_END_SECONDS.labels(worker, since)
    if worker == "extraction":
        _prepare_model()


def _prepare_model() -> None:
    for outcome in ("ok", "timeout", "connection"):
        MODEL_CALLS.labels(outcome)
    for kind in ("prompt", "completion"):
        MODEL_TOKENS.labels(kind)
    for outcome in ("accepted", "no_facts", "failed_transient", "failed_permanent"):
        MODEL_TURNS.labels(outcome)
    for limit in ("rate", "cost"):
        MODEL_LIMITED.labels(limit)
    for state in ("waiting", "failed"):
        MODEL_QUEUE.labels(state).set(math.nan)  # nobody has looked yet


@dataclass(frozen=True, slots=True)
class Declared:
    """A metric as people and tests look it up."""

    name: str
    """As in the text format: a counter ends in `_total`, a histogram has `_bucket`, `_sum` and `_count`."""
    kind: str
    labels: tuple[str, ...]
    documentation: str

    @property
    def series(self) -> tuple[str, ...]:
        """Names of its series."""
        return tuple(f"{self.name}{end}" for end in _HISTOGRAM) if self.kind == "histogram" else (self.name,)


_HISTOGRAM = ("_bucket", "_sum", "_count")


def declared() -> list[Declared]:
    """All metrics, by name."""
    found = [Declared(item.name, item.kind, item.labels, item.documentation) for item in MEASURED]
    for value in globals().values():
        if isinstance(value, Counter | Gauge | Histogram):
            [metric] = value.describe()
            name = metric.name + ("_total" if isinstance(value, Counter) else "")
            found.append(Declared(name, metric.type, tuple(value._labelnames), metric.documentation))
    return sorted(found, key=lambda item: item.name)
