-- name: turns
-- What was decided about some turns so far.
select t.tenant, t.turn_id, t.generation, t.decided::text as decided
from json_to_recordset(%(rows)s) as r (tenant text, turn_id text)
join turns t using (tenant, turn_id)

-- name: facts_named
-- Facts that commands name by their id.
select distinct on (fact_id) subject_key, fact_id::text as fact_id, subject, attribute, value
from facts
where fact_id::text in (select value from json_array_elements_text(%(ids)s))
order by fact_id, sys_from desc

-- name: slots_of_subjects
-- All slots of some subjects: what a broad withdrawal or a return cue enters.
select s.tenant, s.subject_key, s.subject, s.attribute
from json_to_recordset(%(rows)s) as r (subject_key text, subject text)
join slots s using (subject_key, subject)

-- name: slots_of_turns
-- Slots with evidence from some turns; all of a subject's, where that is a broad withdrawal or a return cue.
with r as (
    select c.tenant, c.subject_key, c.subject, c.attribute, c.kind in ('value', 'command') as one_slot
    from json_to_recordset(%(rows)s) as r (subject_key text, turn_id text)
    join claims c using (subject_key, turn_id)
    where c.current
)
select tenant, subject_key, subject, attribute from r where one_slot
union
select s.tenant, s.subject_key, s.subject, s.attribute
from r join slots s using (tenant, subject_key, subject)
where not r.one_slot

-- name: slots_of_sessions
-- Slots that the course of some sessions can still move.
with r as (
    select distinct subject_key, session_id, at
    from json_to_recordset(%(rows)s) as r (subject_key text, session_id text, at timestamptz)
)
select o.tenant, o.subject_key, o.subject, o.attribute
from r
join overrides o
    on o.subject_key = r.subject_key
    and o.session_id = r.session_id
    and o.started_at <= r.at + interval '31 minutes'
    and o.ends_at >= r.at
where o.sys_to is null
union
select o.tenant, o.subject_key, o.subject, o.attribute
from r
join overrides o on o.subject_key = r.subject_key
where o.sys_to is null and o.end_rule = 'next_session_end' and o.ends_at >= r.at - interval '31 minutes'
union
select c.tenant, c.subject_key, c.subject, c.attribute
from r
join sessions s
    on s.subject_key = r.subject_key
    and s.session_id = r.session_id
    and s.started_at <= r.at + interval '31 minutes'
    and s.last_at > r.at
join claims c
    on c.subject_key = r.subject_key
    and c.session_id = r.session_id
    and c.occurred_at > r.at
    and c.occurred_at <= s.last_at
where c.current and c.kind in ('value', 'command')

-- name: retire_claims
-- Evidence of turns that a later generation read again.
update claims c set current = false
from json_to_recordset(%(rows)s) as r (subject_key text, turn_id text, generation integer)
where c.subject_key = r.subject_key
  and c.turn_id = r.turn_id
  and c.generation < r.generation
  and c.kind <> 'command'

-- name: insert_claims
-- New evidence.
insert into claims (
    tenant, claim_id, subject_key, turn_id, session_id, subject, attribute, kind, generation, occurred_at, body, extractor
)
select
    tenant, claim_id, subject_key, turn_id, session_id, subject, attribute, kind, generation, occurred_at, body, extractor
from json_to_recordset(%(rows)s) as r (
    tenant text, claim_id uuid, subject_key text, turn_id text, session_id text, subject text, attribute text, kind text,
    generation integer, occurred_at timestamptz, body json, extractor text
)
on conflict do nothing

-- name: close_turns
-- What became of turns. Of several generations in one batch the highest counts: an update takes any one of its matches.
update turns t
set outcome = r.outcome, stored = r.stored, reject_codes = r.reject_codes, generation = r.generation, decided = r.decided, decided_at = clock_timestamp()
from (
    select distinct on (tenant, turn_id) *
    from json_to_recordset(%(rows)s) as r (
        tenant text, turn_id text, outcome text, stored integer, reject_codes jsonb, generation integer, decided json
    )
    order by tenant, turn_id, generation desc
) r
where t.tenant = r.tenant and t.turn_id = r.turn_id and t.generation <= r.generation

-- name: fail_turns
-- Later readings that failed: what was stored of a turn stands, and where nothing was, the failure is its outcome.
update turns t
set outcome = r.outcome, decided = r.decided, decided_at = clock_timestamp()
from (
    select distinct on (tenant, turn_id) *
    from json_to_recordset(%(rows)s) as r (tenant text, turn_id text, outcome text, generation integer, decided json)
    order by tenant, turn_id, generation desc
) r
where t.tenant = r.tenant and t.turn_id = r.turn_id and t.stored = 0 and t.generation <= r.generation
