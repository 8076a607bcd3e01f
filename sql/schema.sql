-- The schema as the migrations make it, for reading. Written by `python -m tests.support.snapshot`.

CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public;

CREATE FUNCTION public.visible_subjects() RETURNS text[]
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN string_to_array(current_setting('lithify.subjects'::text, true), ','::text);

CREATE TABLE public.claims (
    tenant text NOT NULL,
    claim_id uuid NOT NULL,
    subject_key text NOT NULL,
    turn_id text NOT NULL,
    session_id text NOT NULL,
    subject text NOT NULL,
    attribute text NOT NULL,
    kind text NOT NULL,
    generation integer NOT NULL,
    current boolean DEFAULT true NOT NULL,
    occurred_at timestamp with time zone NOT NULL,
    body json NOT NULL,
    extractor text DEFAULT 'rules-1'::text NOT NULL
);

ALTER TABLE ONLY public.claims FORCE ROW LEVEL SECURITY;

CREATE TABLE public.conflicts (
    tenant text NOT NULL,
    conflict_id uuid NOT NULL,
    slot_id uuid NOT NULL,
    subject_key text NOT NULL,
    subject text NOT NULL,
    attribute text NOT NULL,
    at timestamp with time zone NOT NULL,
    claim_id uuid NOT NULL,
    fact_id uuid NOT NULL,
    claim_turn_id text NOT NULL,
    fact_claim_id text NOT NULL,
    claim_value text NOT NULL,
    fact_value text NOT NULL,
    resolution text NOT NULL,
    recorded_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY public.conflicts FORCE ROW LEVEL SECURITY;

CREATE TABLE public.dead_events (
    tenant text NOT NULL,
    event_id text NOT NULL,
    subject_key text NOT NULL,
    worker text NOT NULL,
    cause text NOT NULL,
    detail text NOT NULL,
    died_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL
);

ALTER TABLE ONLY public.dead_events FORCE ROW LEVEL SECURITY;

CREATE TABLE public.dead_letter_keys (
    day date NOT NULL,
    wrapped text NOT NULL
);

CREATE TABLE public.deferred (
    worker text NOT NULL,
    tenant text NOT NULL,
    event_id text NOT NULL,
    subject_key text NOT NULL,
    due_at timestamp with time zone NOT NULL,
    attempts integer NOT NULL,
    reason text NOT NULL,
    topic text NOT NULL,
    key text NOT NULL,
    value json NOT NULL
);

ALTER TABLE ONLY public.deferred FORCE ROW LEVEL SECURITY;

CREATE TABLE public.embeddings (
    tenant text NOT NULL,
    subject_key text NOT NULL,
    item_kind text NOT NULL,
    item_id uuid NOT NULL,
    model text NOT NULL,
    dimension integer NOT NULL,
    embedding public.vector NOT NULL,
    CONSTRAINT embeddings_check CHECK ((public.vector_dims(embedding) = dimension))
);

ALTER TABLE ONLY public.embeddings FORCE ROW LEVEL SECURITY;

CREATE TABLE public.episodes (
    tenant text NOT NULL,
    episode_id uuid NOT NULL,
    subject_key text NOT NULL,
    session_id text NOT NULL,
    started_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone NOT NULL,
    summary text NOT NULL,
    importance smallint NOT NULL,
    turn_ids jsonb NOT NULL,
    accesses integer DEFAULT 0 NOT NULL
);

ALTER TABLE ONLY public.episodes FORCE ROW LEVEL SECURITY;

CREATE TABLE public.facts (
    tenant text NOT NULL,
    fact_id uuid NOT NULL,
    slot_id uuid NOT NULL,
    subject_key text NOT NULL,
    subject text NOT NULL,
    attribute text NOT NULL,
    value text NOT NULL,
    text text NOT NULL,
    polarity text NOT NULL,
    valid_from timestamp with time zone NOT NULL,
    valid_to timestamp with time zone,
    confidence double precision NOT NULL,
    opened_by text NOT NULL,
    mentions integer NOT NULL,
    last_mention timestamp with time zone NOT NULL,
    pinned boolean NOT NULL,
    corrected boolean NOT NULL,
    superseded_by uuid,
    claim_ids jsonb NOT NULL,
    quantity jsonb,
    sys_from timestamp with time zone NOT NULL,
    sys_to timestamp with time zone,
    CONSTRAINT facts_check CHECK (((valid_to IS NULL) OR (valid_from <= valid_to))),
    CONSTRAINT facts_check1 CHECK (((sys_to IS NULL) OR (sys_from <= sys_to)))
);

ALTER TABLE ONLY public.facts FORCE ROW LEVEL SECURITY;

CREATE TABLE public.inbox (
    worker text NOT NULL,
    tenant text NOT NULL,
    event_id text NOT NULL,
    subject_key text NOT NULL,
    digest text NOT NULL,
    received_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL
);

ALTER TABLE ONLY public.inbox FORCE ROW LEVEL SECURITY;

CREATE TABLE public.model_calls (
    id bigint NOT NULL,
    tenant text NOT NULL,
    subject_key text NOT NULL,
    call_id uuid NOT NULL,
    model text NOT NULL,
    prompt text NOT NULL,
    outcome text NOT NULL,
    reply text NOT NULL,
    input_tokens integer NOT NULL,
    output_tokens integer NOT NULL,
    cost double precision NOT NULL,
    called_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);

ALTER TABLE ONLY public.model_calls FORCE ROW LEVEL SECURITY;

ALTER TABLE public.model_calls ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.model_calls_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.model_queue (
    tenant text NOT NULL,
    turn_id text NOT NULL,
    subject_key text NOT NULL,
    session_id text NOT NULL,
    occurred_at timestamp with time zone NOT NULL,
    turn_index integer NOT NULL,
    tokens integer NOT NULL,
    generation integer DEFAULT 1 NOT NULL,
    state text DEFAULT 'waiting'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    outages integer DEFAULT 0 NOT NULL,
    due_at timestamp with time zone NOT NULL,
    call_id uuid,
    alone boolean DEFAULT false NOT NULL,
    reason text DEFAULT ''::text NOT NULL,
    told text DEFAULT ''::text NOT NULL,
    queued_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL,
    CONSTRAINT model_queue_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'failed'::text])))
);

ALTER TABLE ONLY public.model_queue FORCE ROW LEVEL SECURITY;

CREATE TABLE public.outbox (
    id bigint NOT NULL,
    lane text NOT NULL,
    topic text NOT NULL,
    key text NOT NULL,
    value json NOT NULL,
    subject_key text NOT NULL,
    created_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL
);

ALTER TABLE ONLY public.outbox FORCE ROW LEVEL SECURITY;

ALTER TABLE public.outbox ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.outbox_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.overrides (
    tenant text NOT NULL,
    override_id uuid NOT NULL,
    slot_id uuid NOT NULL,
    subject_key text NOT NULL,
    subject text NOT NULL,
    attribute text NOT NULL,
    value text NOT NULL,
    text text NOT NULL,
    polarity text NOT NULL,
    started_at timestamp with time zone NOT NULL,
    ends_at timestamp with time zone NOT NULL,
    stated_end boolean NOT NULL,
    session_id text,
    session_started_at timestamp with time zone,
    last_mention timestamp with time zone NOT NULL,
    end_rule text NOT NULL,
    claim_ids jsonb NOT NULL,
    sys_from timestamp with time zone NOT NULL,
    sys_to timestamp with time zone
);

ALTER TABLE ONLY public.overrides FORCE ROW LEVEL SECURITY;

CREATE TABLE public.reflections (
    run_id uuid NOT NULL,
    as_of timestamp with time zone NOT NULL,
    started_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL,
    finished_at timestamp with time zone,
    slots_done integer DEFAULT 0 NOT NULL,
    slots_changed integer DEFAULT 0 NOT NULL,
    checked integer DEFAULT 0 NOT NULL,
    mismatches integer DEFAULT 0 NOT NULL
);

CREATE TABLE public.session_ends (
    tenant text NOT NULL,
    subject_key text NOT NULL,
    session_id text NOT NULL,
    ended_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY public.session_ends FORCE ROW LEVEL SECURITY;

CREATE TABLE public.sessions (
    tenant text NOT NULL,
    subject_key text NOT NULL,
    session_id text NOT NULL,
    started_at timestamp with time zone NOT NULL,
    last_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone NOT NULL,
    explicit boolean NOT NULL,
    last_turn_id text NOT NULL,
    last_turn_index integer NOT NULL,
    appended_at timestamp with time zone NOT NULL,
    end_sent_for text
);

ALTER TABLE ONLY public.sessions FORCE ROW LEVEL SECURITY;

CREATE TABLE public.slots (
    tenant text NOT NULL,
    slot_id uuid NOT NULL,
    subject_key text NOT NULL,
    subject text NOT NULL,
    attribute text NOT NULL,
    version bigint NOT NULL,
    contenders jsonb NOT NULL,
    hints jsonb NOT NULL,
    next_change_at timestamp with time zone,
    contenders_alive integer GENERATED ALWAYS AS (jsonb_array_length(contenders)) STORED,
    contenders_near integer GENERATED ALWAYS AS (jsonb_array_length(jsonb_path_query_array(contenders, '$[*]?(@."posterior" >= @."threshold" * 0.8)'::jsonpath))) STORED
);

ALTER TABLE ONLY public.slots FORCE ROW LEVEL SECURITY;

CREATE TABLE public.subjects (
    tenant text NOT NULL,
    subject_key text NOT NULL,
    user_id text NOT NULL,
    version bigint DEFAULT 0 NOT NULL,
    epoch integer DEFAULT 0 NOT NULL
);

ALTER TABLE ONLY public.subjects FORCE ROW LEVEL SECURITY;

CREATE TABLE public.turns (
    tenant text NOT NULL,
    turn_id text NOT NULL,
    subject_key text NOT NULL,
    session_id text NOT NULL,
    role text NOT NULL,
    speaker text,
    content text NOT NULL,
    timezone text NOT NULL,
    turn_index integer NOT NULL,
    importance smallint NOT NULL,
    skipped boolean NOT NULL,
    body json NOT NULL,
    occurred_at timestamp with time zone NOT NULL,
    received_at timestamp with time zone NOT NULL,
    appended_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    trace_id text,
    epoch integer NOT NULL,
    outcome text DEFAULT 'accepted'::text NOT NULL,
    stored integer DEFAULT 0 NOT NULL,
    reject_codes jsonb DEFAULT '[]'::jsonb NOT NULL,
    generation integer DEFAULT 0 NOT NULL,
    decided json,
    decided_at timestamp with time zone,
    reflected_at timestamp with time zone
);

ALTER TABLE ONLY public.turns FORCE ROW LEVEL SECURITY;

CREATE TABLE public.verdicts (
    tenant text NOT NULL,
    verdict_id uuid NOT NULL,
    slot_id uuid NOT NULL,
    subject_key text NOT NULL,
    kind text NOT NULL,
    rule text NOT NULL,
    at timestamp with time zone NOT NULL,
    value text NOT NULL,
    polarity text NOT NULL,
    claim_ids jsonb NOT NULL,
    fact_id uuid,
    replaced text,
    trace jsonb NOT NULL,
    sys_from timestamp with time zone NOT NULL,
    sys_to timestamp with time zone
);

ALTER TABLE ONLY public.verdicts FORCE ROW LEVEL SECURITY;

ALTER TABLE ONLY public.claims
    ADD CONSTRAINT claims_pkey PRIMARY KEY (tenant, claim_id);

ALTER TABLE ONLY public.conflicts
    ADD CONSTRAINT conflicts_pkey PRIMARY KEY (tenant, conflict_id, resolution);

ALTER TABLE ONLY public.dead_events
    ADD CONSTRAINT dead_events_pkey PRIMARY KEY (tenant, event_id, subject_key);

ALTER TABLE ONLY public.dead_letter_keys
    ADD CONSTRAINT dead_letter_keys_pkey PRIMARY KEY (day);

ALTER TABLE ONLY public.deferred
    ADD CONSTRAINT deferred_pkey PRIMARY KEY (worker, tenant, event_id);

ALTER TABLE ONLY public.embeddings
    ADD CONSTRAINT embeddings_pkey PRIMARY KEY (tenant, item_kind, item_id, model);

ALTER TABLE ONLY public.episodes
    ADD CONSTRAINT episodes_pkey PRIMARY KEY (tenant, episode_id);

ALTER TABLE ONLY public.facts
    ADD CONSTRAINT facts_pkey PRIMARY KEY (tenant, fact_id, sys_from);

ALTER TABLE ONLY public.inbox
    ADD CONSTRAINT inbox_pkey PRIMARY KEY (worker, tenant, event_id);

ALTER TABLE ONLY public.model_calls
    ADD CONSTRAINT model_calls_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.model_queue
    ADD CONSTRAINT model_queue_pkey PRIMARY KEY (tenant, turn_id);

ALTER TABLE ONLY public.outbox
    ADD CONSTRAINT outbox_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.overrides
    ADD CONSTRAINT overrides_pkey PRIMARY KEY (tenant, override_id, sys_from);

ALTER TABLE ONLY public.reflections
    ADD CONSTRAINT reflections_pkey PRIMARY KEY (run_id);

ALTER TABLE ONLY public.session_ends
    ADD CONSTRAINT session_ends_pkey PRIMARY KEY (tenant, subject_key, session_id, ended_at);

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (tenant, subject_key, session_id, started_at);

ALTER TABLE ONLY public.slots
    ADD CONSTRAINT slots_pkey PRIMARY KEY (tenant, slot_id);

ALTER TABLE ONLY public.subjects
    ADD CONSTRAINT subjects_pkey PRIMARY KEY (tenant, subject_key);

ALTER TABLE ONLY public.turns
    ADD CONSTRAINT turns_pkey PRIMARY KEY (tenant, turn_id);

ALTER TABLE ONLY public.verdicts
    ADD CONSTRAINT verdicts_pkey PRIMARY KEY (tenant, verdict_id, sys_from);

CREATE INDEX claims_by_session ON public.claims USING btree (subject_key, session_id, occurred_at) WHERE current;

CREATE INDEX claims_by_slot ON public.claims USING btree (subject_key, subject, attribute) WHERE current;

CREATE INDEX claims_by_turn ON public.claims USING btree (tenant, turn_id);

CREATE INDEX conflicts_by_slot ON public.conflicts USING btree (slot_id);

CREATE INDEX deferred_due ON public.deferred USING btree (due_at);

CREATE INDEX embeddings_by_subject ON public.embeddings USING btree (subject_key, model);

CREATE INDEX episodes_by_subject ON public.episodes USING btree (subject_key, ended_at);

CREATE INDEX facts_by_slot ON public.facts USING btree (slot_id) WHERE (sys_to IS NULL);

CREATE INDEX facts_by_subject ON public.facts USING btree (subject_key) WHERE (sys_to IS NULL);

CREATE UNIQUE INDEX facts_current ON public.facts USING btree (tenant, fact_id) WHERE (sys_to IS NULL);

CREATE INDEX model_calls_by_call ON public.model_calls USING btree (call_id) WHERE (outcome = 'ok'::text);

CREATE INDEX model_calls_by_time ON public.model_calls USING btree (tenant, called_at);

CREATE INDEX model_queue_by_session ON public.model_queue USING btree (subject_key, session_id);

CREATE INDEX model_queue_waiting ON public.model_queue USING btree (due_at) WHERE (state = 'waiting'::text);

CREATE INDEX outbox_by_lane ON public.outbox USING btree (lane, id);

CREATE INDEX overrides_by_end ON public.overrides USING btree (ends_at) INCLUDE (started_at) WHERE (sys_to IS NULL);

CREATE INDEX overrides_by_session ON public.overrides USING btree (subject_key, session_id) WHERE ((sys_to IS NULL) AND (session_id IS NOT NULL));

CREATE INDEX overrides_by_slot ON public.overrides USING btree (slot_id) WHERE (sys_to IS NULL);

CREATE INDEX overrides_by_subject ON public.overrides USING btree (subject_key) WHERE (sys_to IS NULL);

CREATE UNIQUE INDEX overrides_current ON public.overrides USING btree (tenant, override_id) WHERE (sys_to IS NULL);

CREATE INDEX overrides_next_session ON public.overrides USING btree (subject_key) WHERE ((sys_to IS NULL) AND (end_rule = 'next_session_end'::text));

CREATE UNIQUE INDEX reflections_by_as_of ON public.reflections USING btree (as_of);

CREATE INDEX sessions_open ON public.sessions USING btree (ended_at) WHERE (end_sent_for IS DISTINCT FROM last_turn_id);

CREATE INDEX slots_by_subject ON public.slots USING btree (subject_key, subject);

CREATE INDEX slots_contended ON public.slots USING btree (contenders_alive) INCLUDE (contenders_near) WHERE (contenders_alive > 0);

CREATE INDEX slots_due ON public.slots USING btree (next_change_at) WHERE (next_change_at IS NOT NULL);

CREATE INDEX turns_by_session ON public.turns USING btree (subject_key, session_id, occurred_at);

CREATE INDEX turns_by_time ON public.turns USING btree (subject_key, occurred_at);

CREATE INDEX turns_open ON public.turns USING btree (appended_at) WHERE (reflected_at IS NULL);

CREATE INDEX verdicts_by_slot ON public.verdicts USING btree (slot_id) WHERE (sys_to IS NULL);

CREATE UNIQUE INDEX verdicts_current ON public.verdicts USING btree (tenant, verdict_id) WHERE (sys_to IS NULL);

ALTER TABLE public.claims ENABLE ROW LEVEL SECURITY;

CREATE POLICY claims_of_batch ON public.claims TO lithify_worker, lithify_gateway USING ((subject_key = ANY (( SELECT public.visible_subjects() AS visible_subjects)::text[]))) WITH CHECK ((subject_key = ANY (( SELECT public.visible_subjects() AS visible_subjects)::text[])));

ALTER TABLE public.conflicts ENABLE ROW LEVEL SECURITY;

CREATE POLICY conflicts_of_batch ON public.conflicts TO lithify_worker, lithify_gateway USING ((subject_key = ANY (( SELECT public.visible_subjects() AS visible_subjects)::text[]))) WITH CHECK ((subject_key = ANY (( SELECT public.visible_subjects() AS visible_subjects)::text[])));

ALTER TABLE public.dead_events ENABLE ROW LEVEL SECURITY;

CREATE POLICY dead_events_of_batch ON public.dead_events TO lithify_worker, lithify_gateway USING ((subject_key = ANY (( SELECT public.visible_subjects() AS visible_subjects)::text[]))) WITH CHECK ((subject_key = ANY (( SELECT public.visible_subjects() AS visible_subjects)::text[])));

ALTER TABLE public.deferred ENABLE ROW LEVEL SECURITY;

CREATE POLICY deferred_due ON public.deferred FOR SELECT TO lithify_scheduler USING (true);

CREATE POLICY deferred_of_batch ON public.deferred TO lithify_worker, lithify_gateway USING ((subject_key = ANY (( SELECT public.visible_subjects() AS visible_subjects)::text[]))) WITH CHECK ((subject_key = ANY (( SELECT public.visible_subjects() AS visible_subjects)::text[])));

ALTER TABLE public.embeddings ENABLE ROW LEVEL SECURITY;

CREATE POLICY embeddings_due ON public.embeddings FOR SELECT TO lithify_scheduler USING (true);

CREATE POLICY embeddings_of_batch ON public.embeddings TO lithify_worker, lithify_gateway USING ((subject_key = ANY (( SELECT public.visible_subjects() AS visible_subjects)::text[]))) WITH CHECK ((subject_key = ANY (( SELECT public.visible_subjects() AS visible_subjects)::text[])));

ALTER TABLE public.episodes ENABLE ROW LEVEL SECURITY;

CREATE POLICY episodes_due ON public.episodes FOR SELECT TO lithify_scheduler USING (true);

CREATE POLICY episodes_of_batch ON public.episodes TO lithify_worker, lithify_gateway USING ((subject_key = ANY (( SELECT public.visible_subjects() AS visible_subjects)::text[]))) WITH CHECK ((subject_key = ANY (( SELECT public.visible_subjects() AS visible_subjects)::text[])));

ALTER TABLE public.facts ENABLE ROW LEVEL SECURITY;

CREATE POLICY facts_due ON public.facts FOR SELECT TO lithify_scheduler USING (true);

CREATE POLICY facts_of_batch ON public.facts TO lithify_worker, lithify_gateway USING ((subject_key = ANY (( SELECT public.visible_subjects() AS visible_subjects)::text[]))) WITH CHECK ((subject_key = ANY (( SELECT public.visible_subjects() AS visible_subjects)::text[])));

ALTER TABLE public.inbox ENABLE ROW LEVEL SECURITY;

CREATE POLICY inbox_of_batch ON public.inbox TO lithify_worker, lithify_gateway USING ((subject_key = ANY (( SELECT public.visible_subjects() AS visible_subjects)::text[]))) WITH CHECK ((subject_key = ANY (( SELECT public.visible_subjects() AS visible_subjects)::text[])));

CREATE POLICY inbox_to_prune ON public.inbox TO lithify_scheduler USING (true);

ALTER TABLE public.model_calls ENABLE ROW LEVEL SECURITY;

CREATE POLICY model_calls_of_batch ON public.model_calls TO lithify_worker USING ((subject_key = ANY (( SELECT public.visible_subjects() AS visible_subjects)::text[]))) WITH CHECK ((subject_key = ANY (( SELECT public.visible_subjects() AS visible_subjects)::text[])));

CREATE POLICY model_calls_to_prune ON public.model_calls TO lithify_scheduler USING (true);

ALTER TABLE public.model_queue ENABLE ROW LEVEL SECURITY;

CREATE POLICY model_queue_due ON public.model_queue FOR SELECT TO lithify_scheduler USING (true);

CREATE POLICY model_queue_of_batch ON public.model_queue TO lithify_worker USING ((subject_key = ANY (( SELECT public.visible_subjects() AS visible_subjects)::text[]))) WITH CHECK ((subject_key = ANY (( SELECT public.visible_subjects() AS visible_subjects)::text[])));

ALTER TABLE public.outbox ENABLE ROW LEVEL SECURITY;

CREATE POLICY outbox_of_batch ON public.outbox TO lithify_worker, lithify_gateway USING ((subject_key = ANY (( SELECT public.visible_subjects() AS visible_subjects)::text[]))) WITH CHECK ((subject_key = ANY (( SELECT public.visible_subjects() AS visible_subjects)::text[])));

CREATE POLICY outbox_to_relay ON public.outbox TO lithify_relay USING (true);

ALTER TABLE public.overrides ENABLE ROW LEVEL SECURITY;

CREATE POLICY overrides_of_batch ON public.overrides TO lithify_worker, lithify_gateway USING ((subject_key = ANY (( SELECT public.visible_subjects() AS visible_subjects)::text[]))) WITH CHECK ((subject_key = ANY (( SELECT public.visible_subjects() AS visible_subjects)::text[])));

CREATE POLICY overrides_to_count ON public.overrides FOR SELECT TO lithify_scheduler USING (true);

ALTER TABLE public.session_ends ENABLE ROW LEVEL SECURITY;

CREATE POLICY session_ends_of_batch ON public.session_ends TO lithify_worker, lithify_gateway USING ((subject_key = ANY (( SELECT public.visible_subjects() AS visible_subjects)::text[]))) WITH CHECK ((subject_key = ANY (( SELECT public.visible_subjects() AS visible_subjects)::text[])));

ALTER TABLE public.sessions ENABLE ROW LEVEL SECURITY;

CREATE POLICY sessions_due ON public.sessions FOR SELECT TO lithify_scheduler USING (true);

CREATE POLICY sessions_of_batch ON public.sessions TO lithify_worker, lithify_gateway USING ((subject_key = ANY (( SELECT public.visible_subjects() AS visible_subjects)::text[]))) WITH CHECK ((subject_key = ANY (( SELECT public.visible_subjects() AS visible_subjects)::text[])));

ALTER TABLE public.slots ENABLE ROW LEVEL SECURITY;

CREATE POLICY slots_due ON public.slots FOR SELECT TO lithify_scheduler USING (true);

CREATE POLICY slots_of_batch ON public.slots TO lithify_worker, lithify_gateway USING ((subject_key = ANY (( SELECT public.visible_subjects() AS visible_subjects)::text[]))) WITH CHECK ((subject_key = ANY (( SELECT public.visible_subjects() AS visible_subjects)::text[])));

ALTER TABLE public.subjects ENABLE ROW LEVEL SECURITY;

CREATE POLICY subjects_due ON public.subjects FOR SELECT TO lithify_scheduler USING (true);

CREATE POLICY subjects_of_batch ON public.subjects TO lithify_worker, lithify_gateway USING ((subject_key = ANY (( SELECT public.visible_subjects() AS visible_subjects)::text[]))) WITH CHECK ((subject_key = ANY (( SELECT public.visible_subjects() AS visible_subjects)::text[])));

ALTER TABLE public.turns ENABLE ROW LEVEL SECURITY;

CREATE POLICY turns_due ON public.turns FOR SELECT TO lithify_scheduler USING (true);

CREATE POLICY turns_of_batch ON public.turns TO lithify_worker, lithify_gateway USING ((subject_key = ANY (( SELECT public.visible_subjects() AS visible_subjects)::text[]))) WITH CHECK ((subject_key = ANY (( SELECT public.visible_subjects() AS visible_subjects)::text[])));

ALTER TABLE public.verdicts ENABLE ROW LEVEL SECURITY;

CREATE POLICY verdicts_of_batch ON public.verdicts TO lithify_worker, lithify_gateway USING ((subject_key = ANY (( SELECT public.visible_subjects() AS visible_subjects)::text[]))) WITH CHECK ((subject_key = ANY (( SELECT public.visible_subjects() AS visible_subjects)::text[])));

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.claims TO lithify_worker;
GRANT SELECT ON TABLE public.claims TO lithify_gateway;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.conflicts TO lithify_worker;
GRANT SELECT ON TABLE public.conflicts TO lithify_gateway;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.dead_events TO lithify_worker;
GRANT SELECT ON TABLE public.dead_events TO lithify_gateway;

GRANT SELECT,INSERT ON TABLE public.dead_letter_keys TO lithify_worker;
GRANT DELETE ON TABLE public.dead_letter_keys TO lithify_scheduler;

GRANT SELECT(day) ON TABLE public.dead_letter_keys TO lithify_scheduler;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.deferred TO lithify_worker;

GRANT SELECT(worker) ON TABLE public.deferred TO lithify_scheduler;

GRANT SELECT(tenant) ON TABLE public.deferred TO lithify_scheduler;

GRANT SELECT(event_id) ON TABLE public.deferred TO lithify_scheduler;

GRANT SELECT(subject_key) ON TABLE public.deferred TO lithify_scheduler;

GRANT SELECT(due_at) ON TABLE public.deferred TO lithify_scheduler;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.embeddings TO lithify_worker;
GRANT SELECT ON TABLE public.embeddings TO lithify_gateway;

GRANT SELECT(tenant) ON TABLE public.embeddings TO lithify_scheduler;

GRANT SELECT(subject_key) ON TABLE public.embeddings TO lithify_scheduler;

GRANT SELECT(item_kind) ON TABLE public.embeddings TO lithify_scheduler;

GRANT SELECT(item_id) ON TABLE public.embeddings TO lithify_scheduler;

GRANT SELECT(model) ON TABLE public.embeddings TO lithify_scheduler;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.episodes TO lithify_worker;
GRANT SELECT ON TABLE public.episodes TO lithify_gateway;

GRANT SELECT(tenant) ON TABLE public.episodes TO lithify_scheduler;

GRANT SELECT(episode_id) ON TABLE public.episodes TO lithify_scheduler;

GRANT SELECT(subject_key) ON TABLE public.episodes TO lithify_scheduler;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.facts TO lithify_worker;
GRANT SELECT ON TABLE public.facts TO lithify_gateway;

GRANT SELECT(tenant) ON TABLE public.facts TO lithify_scheduler;

GRANT SELECT(fact_id) ON TABLE public.facts TO lithify_scheduler;

GRANT SELECT(subject_key) ON TABLE public.facts TO lithify_scheduler;

GRANT SELECT(sys_to) ON TABLE public.facts TO lithify_scheduler;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.inbox TO lithify_worker;
GRANT DELETE ON TABLE public.inbox TO lithify_scheduler;

GRANT SELECT(received_at) ON TABLE public.inbox TO lithify_scheduler;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.model_calls TO lithify_worker;
GRANT DELETE ON TABLE public.model_calls TO lithify_scheduler;

GRANT SELECT(tenant) ON TABLE public.model_calls TO lithify_scheduler;

GRANT SELECT(cost) ON TABLE public.model_calls TO lithify_scheduler;

GRANT SELECT(called_at) ON TABLE public.model_calls TO lithify_scheduler;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.model_queue TO lithify_worker;

GRANT SELECT(tenant) ON TABLE public.model_queue TO lithify_scheduler;

GRANT SELECT(subject_key) ON TABLE public.model_queue TO lithify_scheduler;

GRANT SELECT(session_id) ON TABLE public.model_queue TO lithify_scheduler;

GRANT SELECT(tokens) ON TABLE public.model_queue TO lithify_scheduler;

GRANT SELECT(state) ON TABLE public.model_queue TO lithify_scheduler;

GRANT SELECT(due_at) ON TABLE public.model_queue TO lithify_scheduler;

GRANT SELECT(call_id) ON TABLE public.model_queue TO lithify_scheduler;

GRANT SELECT(queued_at) ON TABLE public.model_queue TO lithify_scheduler;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.outbox TO lithify_worker;
GRANT SELECT,DELETE ON TABLE public.outbox TO lithify_relay;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.overrides TO lithify_worker;
GRANT SELECT ON TABLE public.overrides TO lithify_gateway;

GRANT SELECT(started_at) ON TABLE public.overrides TO lithify_scheduler;

GRANT SELECT(ends_at) ON TABLE public.overrides TO lithify_scheduler;

GRANT SELECT(sys_to) ON TABLE public.overrides TO lithify_scheduler;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.reflections TO lithify_worker;
GRANT SELECT ON TABLE public.reflections TO lithify_scheduler;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.session_ends TO lithify_worker;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.sessions TO lithify_worker;
GRANT SELECT ON TABLE public.sessions TO lithify_gateway;

GRANT SELECT(tenant) ON TABLE public.sessions TO lithify_scheduler;

GRANT SELECT(subject_key) ON TABLE public.sessions TO lithify_scheduler;

GRANT SELECT(session_id) ON TABLE public.sessions TO lithify_scheduler;

GRANT SELECT(started_at) ON TABLE public.sessions TO lithify_scheduler;

GRANT SELECT(last_at) ON TABLE public.sessions TO lithify_scheduler;

GRANT SELECT(ended_at) ON TABLE public.sessions TO lithify_scheduler;

GRANT SELECT(explicit) ON TABLE public.sessions TO lithify_scheduler;

GRANT SELECT(last_turn_id) ON TABLE public.sessions TO lithify_scheduler;

GRANT SELECT(appended_at) ON TABLE public.sessions TO lithify_scheduler;

GRANT SELECT(end_sent_for) ON TABLE public.sessions TO lithify_scheduler;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.slots TO lithify_worker;
GRANT SELECT ON TABLE public.slots TO lithify_gateway;

GRANT SELECT(tenant) ON TABLE public.slots TO lithify_scheduler;

GRANT SELECT(slot_id) ON TABLE public.slots TO lithify_scheduler;

GRANT SELECT(subject_key) ON TABLE public.slots TO lithify_scheduler;

GRANT SELECT(next_change_at) ON TABLE public.slots TO lithify_scheduler;

GRANT SELECT(contenders_alive) ON TABLE public.slots TO lithify_scheduler;

GRANT SELECT(contenders_near) ON TABLE public.slots TO lithify_scheduler;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.subjects TO lithify_worker;
GRANT SELECT ON TABLE public.subjects TO lithify_gateway;

GRANT SELECT(tenant) ON TABLE public.subjects TO lithify_scheduler;

GRANT SELECT(subject_key) ON TABLE public.subjects TO lithify_scheduler;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.turns TO lithify_worker;
GRANT SELECT ON TABLE public.turns TO lithify_gateway;

GRANT SELECT(tenant) ON TABLE public.turns TO lithify_scheduler;

GRANT SELECT(turn_id) ON TABLE public.turns TO lithify_scheduler;

GRANT SELECT(subject_key) ON TABLE public.turns TO lithify_scheduler;

GRANT SELECT(appended_at) ON TABLE public.turns TO lithify_scheduler;

GRANT SELECT(outcome) ON TABLE public.turns TO lithify_scheduler;

GRANT SELECT(reflected_at) ON TABLE public.turns TO lithify_scheduler;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.verdicts TO lithify_worker;
GRANT SELECT ON TABLE public.verdicts TO lithify_gateway;
