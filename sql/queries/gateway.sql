-- What the gateway reads. Each runs inside a transaction that row-level security confines to one subject; the
-- conditions on tenant and subject repeat it, so that no single mistake opens the door.

-- name: enter_scope
-- confine the rest of the transaction to one subject
select set_config('lithify.subjects', %(subject_key)s, true)

-- name: session_state
-- version, number of vectors and zone of the subject, with the last turns of one session, newest first; none: unknown
select s.version,
       (
           select l.timezone from turns l
           where l.subject_key = s.subject_key
             and (%(as_of)s::timestamptz is null or l.occurred_at <= %(as_of)s)
           order by l.occurred_at desc
           limit 1
       ) as zone,
       (select count(*) from embeddings e where e.subject_key = s.subject_key and e.model = %(model)s) as vectors,
       t.turn_id, t.role, t.speaker, t.content, t.occurred_at, t.importance, t.outcome, t.timezone
from subjects s
left join lateral (
    select * from turns
    where turns.tenant = s.tenant and turns.subject_key = s.subject_key
      and turns.session_id = %(session_id)s and turns.role <> 'command'
      and (%(as_of)s::timestamptz is null or turns.occurred_at <= %(as_of)s)
    order by occurred_at desc, turn_index desc, turn_id desc
    limit %(turns)s
) t on true
where s.tenant = %(tenant)s and s.subject_key = %(subject_key)s

-- name: slots
-- what each slot's fold left open
select slot_id::text, subject, attribute, contenders, hints
from slots
where tenant = %(tenant)s and subject_key = %(subject_key)s
order by subject, attribute, slot_id

-- name: facts
-- facts as believed at known_at (null: now), every interval, oldest first
select fact_id::text as id, slot_id::text, subject, attribute, value, text, polarity, valid_from, valid_to, confidence,
       opened_by, mentions, last_mention, pinned, corrected, superseded_by::text, claim_ids, quantity
from facts
where tenant = %(tenant)s and subject_key = %(subject_key)s
  and (case when %(known_at)s::timestamptz is null then sys_to is null
       else sys_from <= %(known_at)s and (sys_to is null or %(known_at)s < sys_to) end)
order by valid_from, fact_id

-- name: overrides
-- overrides as believed at known_at (null: now), oldest first
select override_id::text as id, slot_id::text, subject, attribute, value, text, polarity, started_at, ends_at,
       stated_end, session_id, session_started_at, last_mention, end_rule, claim_ids
from overrides
where tenant = %(tenant)s and subject_key = %(subject_key)s
  and (case when %(known_at)s::timestamptz is null then sys_to is null
       else sys_from <= %(known_at)s and (sys_to is null or %(known_at)s < sys_to) end)
order by started_at, override_id

-- name: episodes
-- summarised stretches of sessions
select episode_id::text as id, session_id, summary, started_at, ended_at, importance
from episodes
where tenant = %(tenant)s and subject_key = %(subject_key)s
order by started_at, episode_id

-- name: embeddings
-- the subject's vectors of one model
select item_id::text as id, embedding::real[] as embedding
from embeddings
where tenant = %(tenant)s and subject_key = %(subject_key)s and model = %(model)s and dimension = %(dimension)s

-- name: turn_outcome
-- what became of one turn or command; a dead event may never have become a turn
select %(turn_id)s::text as id,
       case when d.cause is not null then 'dead' else t.outcome end as outcome,
       coalesce(t.stored, 0) as stored,
       t.decided::text as decided,
       d.cause,
       d.detail
from (values (1)) one
left join turns t
    on t.tenant = %(tenant)s and t.subject_key = %(subject_key)s and t.turn_id = %(turn_id)s
left join dead_events d
    on d.tenant = %(tenant)s and d.subject_key = %(subject_key)s and d.event_id = %(turn_id)s and t.decided is null
where t.turn_id is not null or d.cause is not null

-- name: fact
-- one fact as believed now
select fact_id::text as id, slot_id::text, subject, attribute, value, text, polarity, valid_from, valid_to, confidence,
       opened_by, mentions, last_mention, pinned, corrected, superseded_by::text, claim_ids
from facts
where tenant = %(tenant)s and subject_key = %(subject_key)s and fact_id = %(fact_id)s and sys_to is null

-- name: slot_named
-- the slot that an id (of slot, fact or override) or an attribute of a subject names
select slot_id::text, subject, attribute, contenders, hints
from slots s
where s.tenant = %(tenant)s and s.subject_key = %(subject_key)s
  and (s.slot_id = %(id)s
       or s.slot_id in (select f.slot_id from facts f where f.tenant = %(tenant)s and f.fact_id = %(id)s)
       or s.slot_id in (select o.slot_id from overrides o where o.tenant = %(tenant)s and o.override_id = %(id)s)
       or (s.subject = %(subject)s and s.attribute = %(attribute)s))
order by s.slot_id
limit 1

-- name: claims_of_slot
-- evidence of one slot with the words it was read from, in time order
select c.claim_id::text as id, c.turn_id, c.session_id, c.kind, c.occurred_at, c.body, t.content
from claims c
left join turns t on t.tenant = c.tenant and t.turn_id = c.turn_id
where c.tenant = %(tenant)s and c.subject_key = %(subject_key)s and c.current
  and (c.claim_id::text = any(%(claim_ids)s) or (c.subject = %(subject)s and c.attribute = %(attribute)s))
order by c.occurred_at, c.turn_id, c.claim_id

-- name: claims_named
-- the named pieces of evidence with the words they were read from, in time order
select c.claim_id::text as id, c.turn_id, c.session_id, c.kind, c.occurred_at, c.body, t.content
from claims c
left join turns t on t.tenant = c.tenant and t.turn_id = c.turn_id
where c.tenant = %(tenant)s and c.subject_key = %(subject_key)s and c.claim_id::text = any(%(claim_ids)s)
order by c.occurred_at, c.turn_id, c.claim_id

-- name: verdicts_of_slot
-- what was decided about one slot, in time order
select verdict_id::text as id, kind, rule, at, value, polarity, claim_ids, fact_id::text, replaced, trace
from verdicts
where tenant = %(tenant)s and subject_key = %(subject_key)s and slot_id = %(slot_id)s and sys_to is null
order by at, verdict_id

-- name: conflicts_of_slot
-- disagreements in one slot, in time order
select conflict_id::text as id, at, claim_id::text, fact_id::text, claim_turn_id, fact_claim_id, claim_value, fact_value,
       resolution
from conflicts
where tenant = %(tenant)s and subject_key = %(subject_key)s and slot_id = %(slot_id)s
order by at, conflict_id

-- name: ready
-- whether the schema is there
select to_regclass('facts') is not null as ready
