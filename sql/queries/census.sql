-- name: outbox
-- What waits for the relay, by lane: how many events, and the age of the oldest in seconds.
select lane as worker, count(*) as events, extract(epoch from clock_timestamp() - min(created_at))::float8 as age
from outbox
group by lane

-- name: parked
-- Parked events by worker, and how long the one that has waited longest is overdue, in seconds.
select
    worker,
    count(*) as events,
    greatest(0, extract(epoch from clock_timestamp() - min(due_at)))::float8 as overdue
from deferred
group by worker

-- name: open_turns
-- Stored turns and commands that have not reached the end of the pipeline.
select count(*) as turns from turns where reflected_at is null

-- name: overrides
-- Overrides that hold now.
select count(*) as alive
from overrides
where sys_to is null and ends_at > clock_timestamp() and started_at <= clock_timestamp()

-- name: contenders
-- Contenders that gather evidence, and those near their threshold.
select coalesce(sum(contenders_alive), 0)::bigint as alive, coalesce(sum(contenders_near), 0)::bigint as near
from slots
where contenders_alive > 0

-- name: due_slots
-- Slots with a due change that is not published yet.
select count(*) as slots from slots where next_change_at <= clock_timestamp()

-- name: reflection
-- The nightly run that began last, what the last one that ended found, and how long ago that was, in seconds.
select
    extract(epoch from clock_timestamp() - coalesce(
        (select max(finished_at) from reflections), (select min(applied_at) from schema_migrations)
    ))::float8 as age,
    extract(epoch from coalesce(newest.finished_at, clock_timestamp()) - newest.started_at)::float8 as seconds,
    newest.slots_done as slots,
    ended.checked,
    ended.mismatches
from (select) as always
left join (select * from reflections order by started_at desc limit 1) as newest on true
left join (select * from reflections where finished_at is not null order by finished_at desc limit 1) as ended on true
