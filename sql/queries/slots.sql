-- name: evidence
-- Evidence of some slots, and what enters every slot of their subjects.
select distinct c.tenant, c.claim_id, c.subject_key, c.subject, c.attribute, c.kind, c.body::text as body
from json_to_recordset(%(rows)s) as r (tenant text, subject_key text, subject text, attribute text)
join claims c
    on c.tenant = r.tenant
    and c.subject_key = r.subject_key
    and c.subject = r.subject
    and (c.attribute = r.attribute or c.kind in ('withdrawal', 'return'))
where c.current

-- name: sessions
-- All sessions of some subjects.
select subject_key, session_id, started_at, last_at, ended_at, explicit
from sessions
where subject_key in (select value from json_array_elements_text(%(subjects)s))

-- name: versions
-- Versions of some slots. A new one begins with the time, in milliseconds: above whatever an emptied database had.
select asked.value as slot_id, coalesce(s.version, floor(extract(epoch from clock_timestamp()) * 1000)::bigint) as version
from json_array_elements_text(%(slots)s) asked
left join slots s on s.slot_id = asked.value::uuid

-- name: stored_conflicts
-- Conflict events known of some slots.
select slot_id, conflict_id, resolution
from conflicts
where slot_id in (select value::uuid from json_array_elements_text(%(slots)s))

-- name: insert_conflicts
-- New conflict events.
insert into conflicts (
    tenant, conflict_id, slot_id, subject_key, subject, attribute, at, claim_id, fact_id, claim_turn_id, fact_claim_id,
    claim_value, fact_value, resolution, recorded_at
)
select
    tenant, conflict_id, slot_id, subject_key, subject, attribute, at, claim_id, fact_id, claim_turn_id, fact_claim_id,
    claim_value, fact_value, resolution, recorded_at
from json_to_recordset(%(rows)s) as r (
    tenant text, conflict_id uuid, slot_id uuid, subject_key text, subject text, attribute text, at timestamptz,
    claim_id uuid, fact_id uuid, claim_turn_id text, fact_claim_id text, claim_value text, fact_value text,
    resolution text, recorded_at timestamptz
)
on conflict do nothing

-- name: upsert_slots
-- What folds left open.
insert into slots (
    tenant, slot_id, subject_key, subject, attribute, version, contenders, hints, next_change_at
)
select tenant, slot_id, subject_key, subject, attribute, version, contenders, hints, next_change_at
from json_to_recordset(%(rows)s) as r (
    tenant text, slot_id uuid, subject_key text, subject text, attribute text, version bigint, contenders jsonb,
    hints jsonb, next_change_at timestamptz
)
on conflict (tenant, slot_id) do update
set version = excluded.version,
    contenders = excluded.contenders,
    hints = excluded.hints,
    next_change_at = excluded.next_change_at

-- name: stored_facts
-- Current rows of some slots.
select
    tenant, fact_id, slot_id, subject_key, subject, attribute, value, text, polarity, valid_from, valid_to, confidence,
    opened_by, mentions, last_mention, pinned, corrected, superseded_by, claim_ids, quantity
from facts
where sys_to is null and slot_id in (select value::uuid from json_array_elements_text(%(slots)s))

-- name: close_facts
-- Rows that are no longer believed.
update facts t set sys_to = r.sys_to
from json_to_recordset(%(rows)s) as r (tenant text, id uuid, sys_to timestamptz)
where t.tenant = r.tenant and t.fact_id = r.id and t.sys_to is null

-- name: insert_facts
-- Rows that are believed from now on.
insert into facts (
    tenant, fact_id, slot_id, subject_key, subject, attribute, value, text, polarity, valid_from, valid_to, confidence,
    opened_by, mentions, last_mention, pinned, corrected, superseded_by, claim_ids, quantity, sys_from
)
select
    tenant, fact_id, slot_id, subject_key, subject, attribute, value, text, polarity, valid_from, valid_to, confidence,
    opened_by, mentions, last_mention, pinned, corrected, superseded_by, claim_ids, quantity, sys_from
from json_to_recordset(%(rows)s) as r (
    tenant text, fact_id uuid, slot_id uuid, subject_key text, subject text, attribute text, value text, text text,
    polarity text, valid_from timestamptz, valid_to timestamptz, confidence double precision, opened_by text,
    mentions integer, last_mention timestamptz, pinned boolean, corrected boolean, superseded_by uuid, claim_ids jsonb,
    quantity jsonb, sys_from timestamptz
)

-- name: stored_overrides
-- Current rows of some slots.
select
    tenant, override_id, slot_id, subject_key, subject, attribute, value, text, polarity, started_at, ends_at, stated_end,
    session_id, session_started_at, last_mention, end_rule, claim_ids
from overrides
where sys_to is null and slot_id in (select value::uuid from json_array_elements_text(%(slots)s))

-- name: close_overrides
-- Rows that are no longer believed.
update overrides t set sys_to = r.sys_to
from json_to_recordset(%(rows)s) as r (tenant text, id uuid, sys_to timestamptz)
where t.tenant = r.tenant and t.override_id = r.id and t.sys_to is null

-- name: insert_overrides
-- Rows that are believed from now on.
insert into overrides (
    tenant, override_id, slot_id, subject_key, subject, attribute, value, text, polarity, started_at, ends_at, stated_end,
    session_id, session_started_at, last_mention, end_rule, claim_ids, sys_from
)
select
    tenant, override_id, slot_id, subject_key, subject, attribute, value, text, polarity, started_at, ends_at, stated_end,
    session_id, session_started_at, last_mention, end_rule, claim_ids, sys_from
from json_to_recordset(%(rows)s) as r (
    tenant text, override_id uuid, slot_id uuid, subject_key text, subject text, attribute text, value text, text text,
    polarity text, started_at timestamptz, ends_at timestamptz, stated_end boolean, session_id text,
    session_started_at timestamptz, last_mention timestamptz, end_rule text, claim_ids jsonb, sys_from timestamptz
)

-- name: stored_verdicts
-- Current rows of some slots.
select
    tenant, verdict_id, slot_id, subject_key, kind, rule, at, value, polarity, claim_ids, fact_id, replaced, trace
from verdicts
where sys_to is null and slot_id in (select value::uuid from json_array_elements_text(%(slots)s))

-- name: close_verdicts
-- Rows that are no longer believed.
update verdicts t set sys_to = r.sys_to
from json_to_recordset(%(rows)s) as r (tenant text, id uuid, sys_to timestamptz)
where t.tenant = r.tenant and t.verdict_id = r.id and t.sys_to is null

-- name: insert_verdicts
-- Rows that are believed from now on.
insert into verdicts (
    tenant, verdict_id, slot_id, subject_key, kind, rule, at, value, polarity, claim_ids, fact_id, replaced, trace, sys_from
)
select
    tenant, verdict_id, slot_id, subject_key, kind, rule, at, value, polarity, claim_ids, fact_id, replaced, trace, sys_from
from json_to_recordset(%(rows)s) as r (
    tenant text, verdict_id uuid, slot_id uuid, subject_key text, kind text, rule text, at timestamptz, value text,
    polarity text, claim_ids jsonb, fact_id uuid, replaced text, trace jsonb, sys_from timestamptz
)
