-- name: due_parked
-- Subjects with parked events of a worker that are due.
select distinct subject_key from deferred where worker = %(worker)s and due_at <= clock_timestamp() limit 100

-- name: due_session_ends
-- Sessions whose computed end is past in event time, and either quiet for a while or followed by another session.
select s.tenant, s.subject_key, s.session_id, s.started_at
from sessions s
where s.end_sent_for is distinct from s.last_turn_id
  and s.ended_at <= clock_timestamp()
  and (
      s.appended_at <= clock_timestamp() - make_interval(secs => %(quiet)s)
      or exists (
          select from sessions later
          where later.tenant = s.tenant and later.subject_key = s.subject_key and later.started_at > s.ended_at
      )
  )
order by s.ended_at
limit 500

-- name: unfinished_turns
-- Turns that came in a while ago and never reached the end of the pipeline.
select tenant, subject_key, turn_id
from turns
where reflected_at is null and appended_at <= clock_timestamp() - make_interval(secs => %(after)s)
order by appended_at
limit 1000

-- name: due_slots
-- Slots with a scheduled change up to an instant that is not published yet.
select tenant, subject_key, slot_id, next_change_at
from slots
where next_change_at <= %(as_of)s
order by next_change_at, slot_id
limit %(page)s

-- name: missing_vectors
-- Facts and episodes that a model has not embedded yet.
select f.subject_key, f.fact_id as item_id
from facts f
where f.sys_to is null
  and not exists (
      select from embeddings e
      where e.tenant = f.tenant and e.item_kind = 'fact' and e.item_id = f.fact_id and e.model = %(model)s
  )
union all
select p.subject_key, p.episode_id
from episodes p
where not exists (
    select from embeddings e
    where e.tenant = p.tenant and e.item_kind = 'episode' and e.item_id = p.episode_id and e.model = %(model)s
)
limit 200

-- name: prune_inbox
-- Inbox rows so old that Kafka no longer holds their events.
with gone as (
    delete from inbox where received_at < clock_timestamp() - make_interval(days => %(days)s) returning 1
)
select count(*) as pruned from gone

-- name: destroy_dead_letter_keys
-- Keys of days whose dead letters the topic no longer keeps.
with gone as (
    delete from dead_letter_keys where day < (clock_timestamp() at time zone 'UTC')::date - %(days)s::integer returning day
)
select count(*) as destroyed from gone

-- name: sample_slots
-- A share (in ten-thousandths) of all slots, another one for each seed, by subject.
select subject_key, array_agg(slot_id::text order by slot_id) as slots
from slots
where abs(hashtextextended(slot_id::text, %(seed)s) %% 10000) < %(share)s
group by subject_key
order by subject_key

-- name: subjects_after
-- A page of all subjects, in the order of their keys.
select subject_key
from subjects
where subject_key > %(after)s
order by subject_key
limit %(page)s

-- name: due_model_sessions
-- Sessions with turns that a model is to read now: some are due, or enough have come together for one call.
select tenant, subject_key, session_id
from model_queue
where state = 'waiting' and tenant not in (select value from json_array_elements_text(%(limited)s))
group by tenant, subject_key, session_id
having min(due_at) <= clock_timestamp() or sum(tokens) filter (where call_id is null) >= %(budget)s
order by min(due_at)
limit 100

-- name: model_spend
-- What tenants have had of a model lately: calls in the last minute, cost in the last day.
select
    tenant,
    count(*) filter (where called_at > clock_timestamp() - interval '1 minute') as calls,
    sum(cost) as cost
from model_calls
where called_at > clock_timestamp() - interval '1 day'
group by tenant

-- name: model_backlog
-- How many turns wait for a model or were given up.
select state, count(*) as turns from model_queue group by state

-- name: prune_model_calls
-- Replies of models past their retention.
with gone as (
    delete from model_calls where called_at < clock_timestamp() - make_interval(days => %(days)s) returning 1
)
select count(*) as pruned from gone
