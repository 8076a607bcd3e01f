-- The first schema: subjects, working memory, evidence, slots and what they decide, delivery, episodes.
--
-- Roles (created by whoever owns the cluster, see sql/roles.sql):
--   lithify_worker     reads and writes the subjects of its batch (lithify.subjects), nothing else
--   lithify_gateway    reads exactly one subject a request
--   lithify_scheduler  sees which subjects have work due, never their content
--   lithify_relay      sees the outbox, whoever the rows are about
-- subject_key is a keyed pseudonym of (tenant, user id), so it alone tells subjects apart.

create table subjects (
    tenant text not null,
    subject_key text not null,
    user_id text not null,
    version bigint not null default 0,
    epoch integer not null default 0,
    primary key (tenant, subject_key)
);
comment on column subjects.user_id is 'as the producer named the user; needed to publish a computed session end';
comment on column subjects.version is 'raised by every transaction that changes what is believed about the subject';
comment on column subjects.epoch is 'raised by an erasure; work stamped with a lower one is dropped';

create table turns (
    tenant text not null,
    turn_id text not null,
    subject_key text not null,
    session_id text not null,
    role text not null,
    speaker text,
    content text not null,
    timezone text not null,
    turn_index integer not null,
    importance smallint not null,
    skipped boolean not null,
    body json not null,
    occurred_at timestamptz not null,
    received_at timestamptz not null,
    appended_at timestamptz not null default clock_timestamp(),
    trace_id text,
    epoch integer not null,
    outcome text not null default 'accepted',
    stored integer not null default 0,
    reject_codes jsonb not null default '[]',
    generation integer not null default 0,
    decided json,
    decided_at timestamptz,
    reflected_at timestamptz,
    primary key (tenant, turn_id)
);
comment on table turns is 'working memory: every turn, redacted, and what became of it; commands too (role command)';
comment on column turns.body is 'the scored event as published, so that it can be published again';
comment on column turns.reject_codes is 'why words of it that look like claims were not taken as such';
comment on column turns.decided is 'the turn_decided event as published';
create index turns_by_session on turns (subject_key, session_id, occurred_at);
create index turns_by_time on turns (subject_key, occurred_at);
create index turns_open on turns (appended_at) where reflected_at is null;

create table sessions (
    tenant text not null,
    subject_key text not null,
    session_id text not null,
    started_at timestamptz not null,
    last_at timestamptz not null,
    ended_at timestamptz not null,
    explicit boolean not null,
    last_turn_id text not null,
    last_turn_index integer not null,
    appended_at timestamptz not null,
    end_sent_for text,
    primary key (tenant, subject_key, session_id, started_at)
);
comment on table sessions is 'stretches of conversations: a fold of turns, kept by importance';
comment on column sessions.end_sent_for is 'last_turn_id of the end already published; another turn since then makes a new end due';
create index sessions_open on sessions (ended_at) where end_sent_for is distinct from last_turn_id;

create table session_ends (
    tenant text not null,
    subject_key text not null,
    session_id text not null,
    ended_at timestamptz not null,
    primary key (tenant, subject_key, session_id, ended_at)
);
comment on table session_ends is 'explicit ends, which are final';

create table claims (
    tenant text not null,
    claim_id uuid not null,
    subject_key text not null,
    turn_id text not null,
    session_id text not null,
    subject text not null,
    attribute text not null,
    kind text not null,
    generation integer not null,
    current boolean not null default true,
    occurred_at timestamptz not null,
    body json not null,
    primary key (tenant, claim_id)
);
comment on table claims is 'evidence: claims and slot commands, in the domain''s form, append-only';
comment on column claims.kind is 'value, withdrawal, return, or command';
comment on column claims.current is 'false once a higher generation read the same turn again';
create index claims_by_slot on claims (subject_key, subject, attribute) where current;
create index claims_by_turn on claims (tenant, turn_id);
create index claims_by_session on claims (subject_key, session_id, occurred_at) where current;

create table slots (
    tenant text not null,
    slot_id uuid not null,
    subject_key text not null,
    subject text not null,
    attribute text not null,
    version bigint not null,
    contenders jsonb not null,
    hints jsonb not null,
    next_change_at timestamptz,
    primary key (tenant, slot_id)
);
comment on table slots is 'one row a slot: what its fold left open';
comment on column slots.next_change_at is 'when time alone will change it next: a lapse, a promotion, a contender fallen silent';
create index slots_by_subject on slots (subject_key, subject);
create index slots_due on slots (next_change_at) where next_change_at is not null;

create table facts (
    tenant text not null,
    fact_id uuid not null,
    slot_id uuid not null,
    subject_key text not null,
    subject text not null,
    attribute text not null,
    value text not null,
    text text not null,
    polarity text not null,
    valid_from timestamptz not null,
    valid_to timestamptz,
    confidence double precision not null,
    opened_by text not null,
    mentions integer not null,
    last_mention timestamptz not null,
    pinned boolean not null,
    corrected boolean not null,
    superseded_by uuid,
    claim_ids jsonb not null,
    quantity jsonb,
    sys_from timestamptz not null,
    sys_to timestamptz,
    primary key (tenant, fact_id, sys_from),
    check (valid_to is null or valid_from <= valid_to),
    check (sys_to is null or sys_from <= sys_to)
);
comment on table facts is 'bi-temporal: valid_* is when it was true, sys_* is when we believed so';
create unique index facts_current on facts (tenant, fact_id) where sys_to is null;
create index facts_by_subject on facts (subject_key) where sys_to is null;
create index facts_by_slot on facts (slot_id) where sys_to is null;

create table overrides (
    tenant text not null,
    override_id uuid not null,
    slot_id uuid not null,
    subject_key text not null,
    subject text not null,
    attribute text not null,
    value text not null,
    text text not null,
    polarity text not null,
    started_at timestamptz not null,
    ends_at timestamptz not null,
    stated_end boolean not null,
    session_id text,
    session_started_at timestamptz,
    last_mention timestamptz not null,
    end_rule text not null,
    claim_ids jsonb not null,
    sys_from timestamptz not null,
    sys_to timestamptz,
    primary key (tenant, override_id, sys_from)
);
comment on column overrides.session_id is 'seen only in this session; null: in every session';
create unique index overrides_current on overrides (tenant, override_id) where sys_to is null;
create index overrides_by_subject on overrides (subject_key) where sys_to is null;
create index overrides_by_slot on overrides (slot_id) where sys_to is null;
create index overrides_next_session on overrides (subject_key) where sys_to is null and end_rule = 'next_session_end';
create index overrides_by_session on overrides (subject_key, session_id) where sys_to is null and session_id is not null;

create table conflicts (
    tenant text not null,
    conflict_id uuid not null,
    slot_id uuid not null,
    subject_key text not null,
    subject text not null,
    attribute text not null,
    at timestamptz not null,
    claim_id uuid not null,
    fact_id uuid not null,
    claim_turn_id text not null,
    fact_claim_id text not null,
    claim_value text not null,
    fact_value text not null,
    resolution text not null,
    recorded_at timestamptz not null,
    primary key (tenant, conflict_id, resolution)
);
comment on table conflicts is 'append-only: this claim disagreed with that fact';
create index conflicts_by_slot on conflicts (slot_id);

create table verdicts (
    tenant text not null,
    verdict_id uuid not null,
    slot_id uuid not null,
    subject_key text not null,
    kind text not null,
    rule text not null,
    at timestamptz not null,
    value text not null,
    polarity text not null,
    claim_ids jsonb not null,
    fact_id uuid,
    replaced text,
    trace jsonb not null,
    sys_from timestamptz not null,
    sys_to timestamptz,
    primary key (tenant, verdict_id, sys_from)
);
create unique index verdicts_current on verdicts (tenant, verdict_id) where sys_to is null;
create index verdicts_by_slot on verdicts (slot_id) where sys_to is null;

create table episodes (
    tenant text not null,
    episode_id uuid not null,
    subject_key text not null,
    session_id text not null,
    started_at timestamptz not null,
    ended_at timestamptz not null,
    summary text not null,
    importance smallint not null,
    turn_ids jsonb not null,
    accesses integer not null default 0,
    primary key (tenant, episode_id)
);
comment on table episodes is 'one coherent stretch of a session, summarised';
create index episodes_by_subject on episodes (subject_key, ended_at);

create table embeddings (
    tenant text not null,
    subject_key text not null,
    item_kind text not null,
    item_id uuid not null,
    model text not null,
    dimension integer not null,
    embedding vector not null,
    primary key (tenant, item_kind, item_id, model),
    check (vector_dims(embedding) = dimension)
);
comment on table embeddings is 'vectors of facts and episodes; models are never mixed in one query, and a user''s few are scanned exactly';
create index embeddings_by_subject on embeddings (subject_key, model);

create table inbox (
    worker text not null,
    tenant text not null,
    event_id text not null,
    subject_key text not null,
    digest text not null,
    received_at timestamptz not null default transaction_timestamp(),
    primary key (worker, tenant, event_id)
);
comment on table inbox is 'which events each worker has applied: what makes at-least-once delivery effectively once';

create table outbox (
    id bigint generated always as identity primary key,
    lane text not null,
    topic text not null,
    key text not null,
    value json not null,
    subject_key text not null,
    created_at timestamptz not null default transaction_timestamp()
);
comment on column outbox.lane is 'the worker that wrote the row; one relay a lane publishes in id order';
comment on table outbox is 'what a transaction will have published; a row is deleted once the broker has it';
create index outbox_by_lane on outbox (lane, id);

create table deferred (
    worker text not null,
    tenant text not null,
    event_id text not null,
    subject_key text not null,
    due_at timestamptz not null,
    attempts integer not null,
    reason text not null,
    topic text not null,
    key text not null,
    value json not null,
    primary key (worker, tenant, event_id)
);
comment on table deferred is 'parked work: acknowledged, and published again when due';
create index deferred_due on deferred (due_at);

create table dead_events (
    tenant text not null,
    event_id text not null,
    subject_key text not null,
    worker text not null,
    cause text not null,
    detail text not null,
    died_at timestamptz not null default transaction_timestamp(),
    primary key (tenant, event_id, subject_key)
);
comment on table dead_events is 'events that became dead letters though their id could be read: what whoever sent them is told';

create table reflections (
    run_id uuid primary key,
    as_of timestamptz not null,
    started_at timestamptz not null default transaction_timestamp(),
    finished_at timestamptz,
    slots_done integer not null default 0,
    slots_changed integer not null default 0
);
comment on table reflections is 'nightly runs; a run that was cut off is taken up again';
create unique index reflections_by_as_of on reflections (as_of);

-- Row-level security: a transaction sees the subjects named in the setting lithify.subjects, and no others.
create function visible_subjects() returns text[]
    language sql stable parallel safe
    return string_to_array(current_setting('lithify.subjects', true), ',');

do $$
declare
    name text;
begin
    foreach name in array array[
        'subjects', 'turns', 'sessions', 'session_ends', 'claims', 'slots', 'facts', 'overrides', 'conflicts',
        'verdicts', 'episodes', 'embeddings', 'inbox', 'outbox', 'deferred', 'dead_events'
    ] loop
        execute format('alter table %I enable row level security', name);
        execute format('alter table %I force row level security', name);
        execute format(
            'create policy %I on %I to lithify_worker, lithify_gateway
             using (subject_key = any ((select visible_subjects())::text[]))
             with check (subject_key = any ((select visible_subjects())::text[]))',
            name || '_of_batch', name);
    end loop;
    foreach name in array array['subjects', 'turns', 'sessions', 'slots', 'facts', 'episodes', 'embeddings', 'deferred'] loop
        execute format('create policy %I on %I for select to lithify_scheduler using (true)', name || '_due', name);
    end loop;
end
$$;
create policy outbox_to_relay on outbox to lithify_relay using (true);
create policy inbox_to_prune on inbox to lithify_scheduler using (true);

grant select, insert, update, delete on
    subjects, turns, sessions, session_ends, claims, slots, facts, overrides, conflicts, verdicts, episodes, embeddings,
    inbox, outbox, deferred, dead_events
    to lithify_worker;
grant select, insert, update, delete on reflections to lithify_worker;
grant select on
    subjects, turns, sessions, claims, slots, facts, overrides, conflicts, verdicts, episodes, embeddings, dead_events
    to lithify_gateway;
grant select, delete on outbox to lithify_relay;
grant select (tenant, subject_key) on subjects to lithify_scheduler;
grant select (tenant, subject_key, turn_id, appended_at, reflected_at, outcome) on turns to lithify_scheduler;
grant select (
    tenant, subject_key, session_id, started_at, last_at, ended_at, explicit, last_turn_id, appended_at, end_sent_for
) on sessions to lithify_scheduler;
grant select (tenant, subject_key, slot_id, next_change_at) on slots to lithify_scheduler;
grant select (tenant, subject_key, fact_id, sys_to) on facts to lithify_scheduler;
grant select (tenant, subject_key, episode_id) on episodes to lithify_scheduler;
grant select (tenant, subject_key, item_kind, item_id, model) on embeddings to lithify_scheduler;
grant select (worker, tenant, subject_key, event_id, due_at) on deferred to lithify_scheduler;
grant select (received_at), delete on inbox to lithify_scheduler;
