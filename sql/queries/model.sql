-- name: enqueue
-- Turns that a model is to read, unless they wait already.
insert into model_queue (tenant, turn_id, subject_key, session_id, occurred_at, turn_index, tokens, due_at)
select
    tenant, turn_id, subject_key, session_id, occurred_at, turn_index, tokens,
    clock_timestamp() + make_interval(secs => wait_seconds)
from json_to_recordset(%(rows)s) as r (
    tenant text, turn_id text, subject_key text, session_id text, occurred_at timestamptz, turn_index integer,
    tokens integer, wait_seconds double precision
)
on conflict do nothing

-- name: session_over
-- What is queued of sessions that have ended need not wait for more.
update model_queue q set due_at = least(q.due_at, clock_timestamp())
from json_to_recordset(%(rows)s) as r (tenant text, subject_key text, session_id text)
where q.tenant = r.tenant
  and q.subject_key = r.subject_key
  and q.session_id = r.session_id
  and q.state = 'waiting'
  and q.call_id is null

-- name: take
-- Turns of a session that may be asked about now, with the scored event of each; other processes pass them by.
select
    q.tenant, q.turn_id, q.subject_key, q.tokens, q.generation, q.attempts, q.outages,
    q.call_id::text as call_id, q.alone, q.told, t.body::text as body
from model_queue q
join turns t using (tenant, turn_id)
where q.tenant = %(tenant)s
  and q.subject_key = %(subject_key)s
  and q.session_id = %(session_id)s
  and q.state = 'waiting'
  and (q.call_id is null or q.due_at <= clock_timestamp())
order by q.occurred_at, q.turn_index, q.turn_id
limit 200
for update of q skip locked

-- name: lease
-- These turns are part of a call from now on: the attempt is written before it is made.
update model_queue q
set call_id = %(call_id)s, attempts = q.attempts + 1, due_at = clock_timestamp() + make_interval(secs => %(seconds)s)
where q.tenant = %(tenant)s and q.turn_id in (select value from json_array_elements_text(%(turns)s))

-- name: stored_reply
-- The usable reply to a call, if it was answered before.
select reply, input_tokens, output_tokens
from model_calls
where call_id = %(call_id)s and tenant = %(tenant)s and outcome = 'ok'
order by id
limit 1

-- name: keep_reply
-- What a model answered.
insert into model_calls (
    tenant, subject_key, call_id, model, prompt, outcome, reply, input_tokens, output_tokens, cost
)
values (
    %(tenant)s, %(subject_key)s, %(call_id)s, %(model)s, %(prompt)s, %(outcome)s, %(reply)s, %(input_tokens)s,
    %(output_tokens)s, %(cost)s
)

-- name: held
-- Of the turns of a call, those that are still part of it.
select turn_id, generation, attempts, outages, told
from model_queue
where tenant = %(tenant)s
  and call_id = %(call_id)s
  and state = 'waiting'
  and turn_id in (select value from json_array_elements_text(%(turns)s))
for update

-- name: finish
-- Turns that were read.
delete from model_queue q
using json_to_recordset(%(rows)s) as r (tenant text, turn_id text)
where q.tenant = r.tenant and q.turn_id = r.turn_id

-- name: put_off
-- Turns whose call failed and will be made again.
update model_queue q
set due_at = clock_timestamp() + make_interval(secs => r.wait_seconds),
    attempts = q.attempts - r.forgiven,
    outages = r.outages,
    alone = q.alone or r.alone,
    reason = r.reason,
    told = r.told,
    generation = r.generation
from json_to_recordset(%(rows)s) as r (
    tenant text, turn_id text, wait_seconds double precision, forgiven integer, outages integer, alone boolean,
    reason text, told text, generation integer
)
where q.tenant = r.tenant and q.turn_id = r.turn_id

-- name: give_up
-- Turns that are not asked about again unless an operator says so.
update model_queue q
set state = 'failed', reason = r.reason, told = r.told, generation = r.generation
from json_to_recordset(%(rows)s) as r (tenant text, turn_id text, reason text, told text, generation integer)
where q.tenant = r.tenant and q.turn_id = r.turn_id

-- name: requeue_failed
-- Turns of the subjects in scope whose reading failed, for now or for good, are due again.
with again as (
    update model_queue q
    set state = 'waiting', attempts = 0, outages = 0, due_at = clock_timestamp(), call_id = null, alone = false, told = ''
    where %(write)s and q.reason <> '' and (%(tenant)s::text is null or q.tenant = %(tenant)s)
      and (q.state = 'failed' or q.due_at > clock_timestamp())
    returning 1
)
select count(*) as turns
from model_queue q
where q.reason <> '' and (%(tenant)s::text is null or q.tenant = %(tenant)s)
  and (q.state = 'failed' or q.due_at > clock_timestamp())

-- name: requeue_since
-- Important user turns of the subjects in scope are read again under their next generation.
with wanted as (
    select
        t.tenant, t.turn_id, t.subject_key, t.session_id, t.occurred_at, t.turn_index, t.content, t.generation + 1 as next
    from turns t
    where t.occurred_at >= %(since)s
      and t.role = 'user'
      and not t.skipped
      and t.importance >= %(importance)s
      and (%(tenant)s::text is null or t.tenant = %(tenant)s)
      and not exists (select from model_queue q where q.tenant = t.tenant and q.turn_id = t.turn_id)
), queued as (
    insert into model_queue (
        tenant, turn_id, subject_key, session_id, occurred_at, turn_index, tokens, generation, due_at
    )
    select
        tenant, turn_id, subject_key, session_id, occurred_at, turn_index, octet_length(content) / 3 + 1, next,
        clock_timestamp()
    from wanted
    where %(write)s
    on conflict do nothing
    returning 1
)
select count(*) as turns from wanted

-- name: active_facts
-- How many facts of a subject are believed to hold now, by slot.
select slot_id::text as slot_id, count(*) as facts
from facts
where subject_key = %(subject_key)s
  and sys_to is null
  and not corrected
  and valid_from <= %(now)s
  and (valid_to is null or valid_to > %(now)s)
group by slot_id
