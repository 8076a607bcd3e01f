-- name: set_scope
-- Which subjects this transaction may see.
select set_config('lithify.subjects', %(subjects)s, true)

-- name: register_subjects
-- Make sure that the subjects of a batch exist.
insert into subjects (tenant, subject_key, user_id)
select tenant, subject_key, user_id
from json_to_recordset(%(rows)s) as r (tenant text, subject_key text, user_id text)
order by tenant, subject_key
on conflict do nothing

-- name: lock_subjects
-- Lock the subjects of a batch, always in the same order, and read their versions.
select tenant, subject_key, version, epoch
from subjects
where subject_key in (select value from json_array_elements_text(%(subjects)s))
order by tenant, subject_key
for update

-- name: read_subjects
-- The same without a lock, for workers that write no state.
select tenant, subject_key, version, epoch
from subjects
where subject_key in (select value from json_array_elements_text(%(subjects)s))

-- name: raise_versions
-- Readers notice that what is believed about these subjects has changed.
update subjects set version = version + 1
where subject_key in (select value from json_array_elements_text(%(subjects)s))

-- name: known_sources
-- Which of some events go back to a turn, a command or a told end of a session that the first stage has stored.
with r as (
    select * from json_to_recordset(%(rows)s) as r (
        number integer, tenant text, subject_key text, turn_id text, session_id text, ended_at timestamptz
    )
)
select r.number from r join turns t using (tenant, turn_id)
union all
select r.number from r join session_ends e using (tenant, subject_key, session_id, ended_at)

-- name: enter_inbox
-- Take events in; those that are returned are new to this worker.
insert into inbox (worker, tenant, event_id, subject_key, digest)
select %(worker)s, tenant, event_id, subject_key, digest
from json_to_recordset(%(rows)s) as r (tenant text, event_id text, subject_key text, digest text)
order by tenant, event_id
on conflict do nothing
returning tenant, event_id

-- name: read_inbox
-- What this worker recorded of events it has seen before, as far as they belong to the subjects in scope.
select tenant, event_id, digest
from inbox
where worker = %(worker)s
  and (tenant, event_id) in (
      select tenant, event_id from json_to_recordset(%(rows)s) as r (tenant text, event_id text)
  )

-- name: fill_outbox
-- Events to publish after the commit.
insert into outbox (lane, topic, key, value, subject_key)
select %(lane)s, topic, key, value, subject_key
from json_to_recordset(%(rows)s) as r (topic text, key text, value json, subject_key text)

-- name: read_outbox
-- The next page of a lane: so many rows, and of large ones so many bytes, as they are stored, and one more.
select id, topic, key, value::text as value
from (
    select id, topic, key, value, sum(size) over (order by id) - size as before
    from (
        select id, topic, key, value, pg_column_size(value) as size
        from outbox
        where lane = %(lane)s
        order by id
        limit %(page)s
    ) as first
) as page
where before < %(bytes)s
order by id

-- name: clear_outbox
-- Rows that the broker has.
delete from outbox where id in (select value::bigint from json_array_elements_text(%(ids)s))

-- name: lock_lane
-- One relay a lane, across all processes; released with the connection.
select pg_try_advisory_lock(hashtextextended('lithify.outbox.' || %(lane)s, 0)) as held

-- name: park
-- Work that has to wait.
insert into deferred (worker, tenant, event_id, subject_key, due_at, attempts, reason, topic, key, value)
select %(worker)s, tenant, event_id, subject_key, due_at, 1, reason, topic, key, value
from json_to_recordset(%(rows)s) as r (
    tenant text, event_id text, subject_key text, due_at timestamptz, reason text, topic text, key text, value json
)
on conflict (worker, tenant, event_id) do update
set due_at = excluded.due_at, attempts = deferred.attempts + 1, reason = excluded.reason

-- name: release
-- Parked events of the subjects in scope that are due go back to the topic they came from.
with due as (
    delete from deferred where worker = %(worker)s and due_at <= clock_timestamp()
    returning topic, key, value, subject_key
)
insert into outbox (lane, topic, key, value, subject_key)
select %(worker)s, topic, key, value, subject_key from due

-- name: clock
-- System time for what this transaction writes: read after its locks, so that it never runs behind an earlier writer.
select clock_timestamp() as now

-- name: todays_dead_letter_key
-- The key under which dead letters of today (UTC) are encrypted, if there is one yet.
select day, wrapped from dead_letter_keys where day = (clock_timestamp() at time zone 'UTC')::date

-- name: add_dead_letter_key
-- Today's key; of two made at once the first stays.
insert into dead_letter_keys (day, wrapped)
values ((clock_timestamp() at time zone 'UTC')::date, %(wrapped)s)
on conflict do nothing

-- name: dead_letter_key
-- The key of one day.
select wrapped from dead_letter_keys where day = %(day)s

-- name: mark_dead
-- Events that became dead letters though their id could be read; their turns are not published again.
with dead as (
    select tenant, event_id, subject_key, worker, cause, detail
    from json_to_recordset(%(rows)s) as r (
        tenant text, event_id text, subject_key text, worker text, cause text, detail text
    )
), ended as (
    update turns t
    set outcome = case when t.decided is null then 'dead' else t.outcome end, reflected_at = clock_timestamp()
    from dead d
    where t.tenant = d.tenant and t.turn_id = d.event_id and t.subject_key = d.subject_key and t.reflected_at is null
)
insert into dead_events (tenant, event_id, subject_key, worker, cause, detail)
select tenant, event_id, subject_key, worker, cause, detail from dead
on conflict do nothing
