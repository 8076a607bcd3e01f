-- name: reads_everything
-- Whether row-level security does not bind the role of this connection.
select rolsuper or rolbypassrls as reads_everything from pg_roles where rolname = current_user

-- name: export_snapshot
-- What this transaction sees, for pg_dump to see the same.
select pg_export_snapshot() as snapshot

-- name: tables
-- The tables of the schema.
select c.relname as name
from pg_class c
where c.relnamespace = 'public'::regnamespace
  and c.relkind = 'r'
  and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
order by c.relname

-- name: count_rows
-- How many rows a table has, as far as the role sees them; {table} stands for its quoted name.
select count(*) as n from {table}

-- name: server_version
-- The server's version number, such as 170005.
select current_setting('server_version_num')::integer as version

-- name: sessions_of_workers
-- Connections of workers and gateways to this database.
select count(*) as sessions
from pg_stat_activity
where datname = current_database() and usename in ('lithify_worker', 'lithify_gateway')

-- name: missing_roles
-- Roles of the deployment that the cluster lacks.
select wanted.name
from (values ('lithify_worker'), ('lithify_gateway'), ('lithify_scheduler'), ('lithify_relay')) wanted (name)
where not exists (select from pg_roles r where r.rolname = wanted.name)

-- name: has_vector
-- Whether the extension vector is installed in this database.
select exists (select from pg_extension where extname = 'vector') as installed

-- name: drop_everything
-- Remove what this role owns in the schema: tables with their data, and functions.
do $$
declare
    statement text;
begin
    for statement in
        select format('drop table if exists %s cascade', c.oid::regclass)
        from pg_class c
        where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and pg_get_userbyid(c.relowner) = current_user
        union all
        select format('drop function if exists %s cascade', p.oid::regprocedure)
        from pg_proc p
        where p.pronamespace = 'public'::regnamespace and pg_get_userbyid(p.proowner) = current_user
    loop
        execute statement;
    end loop;
end
$$

-- name: raise_slot_versions
-- Consumers of facts ignore a version they have passed: a restored slot goes on above all that was published since.
update slots set version = greatest(version, floor(extract(epoch from clock_timestamp()) * 1000)::bigint)

-- name: raise_subject_versions
-- Readers that remember a user's state notice that it is another.
update subjects set version = greatest(version, floor(extract(epoch from clock_timestamp()) * 1000)::bigint)

-- name: role
-- What the role of this connection may do beyond its grants, and whether it may take on the two roles of a worker.
select
    rolname as name,
    rolsuper as super,
    rolbypassrls as bypasses,
    coalesce((select pg_has_role(current_user, oid, 'member') from pg_roles where rolname = 'lithify_scheduler'), false)
        and coalesce((select pg_has_role(current_user, oid, 'member') from pg_roles where rolname = 'lithify_relay'), false)
        as complete
from pg_roles
where rolname = current_user

-- name: unprotected_tables
-- Tables with user data that row-level security does not bind, or not for their owner.
select c.relname as name
from pg_class c
join pg_attribute a on a.attrelid = c.oid and a.attname = 'subject_key'
where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and not (c.relrowsecurity and c.relforcerowsecurity)
order by c.relname

-- name: connections
-- Connections to the server, and how many it takes.
select
    (select sum(numbackends) from pg_stat_database)::integer as used,
    current_setting('max_connections')::integer as allowed

-- name: server_clock
-- The server's clock.
select clock_timestamp() as now

-- name: identity
-- Which database of which server this is.
select current_database() as database, oid::bigint as oid, pg_postmaster_start_time() as started
from pg_database where datname = current_database()

-- name: outbox_depth
-- Rows that no broker has yet, by lane, and the age of the oldest in seconds.
select lane, count(*) as rows, extract(epoch from clock_timestamp() - min(created_at))::integer as age
from outbox group by lane order by lane

-- name: overdue
-- Parked work that should have been taken up, by worker, and how late the latest is, in seconds.
select worker, count(*) as rows, extract(epoch from clock_timestamp() - min(due_at))::integer as late
from deferred where due_at < clock_timestamp() - interval '5 minutes' group by worker order by worker

-- name: unfinished
-- Turns that came in ten minutes ago or more and have not reached the end.
select count(*) as turns from turns
where reflected_at is null and appended_at < clock_timestamp() - interval '10 minutes'

-- name: any_subject
-- Any subject's key.
select subject_key from subjects limit 1

-- name: user_of_subject
-- Whose subject it is.
select tenant, user_id from subjects where subject_key = %(subject_key)s

-- name: dead_letter_keys
-- Keys of dead letters, as they are kept.
select day, wrapped from dead_letter_keys order by day

-- name: keep_dead_letter_key
-- A key that was there before.
insert into dead_letter_keys (day, wrapped) values (%(day)s, %(wrapped)s) on conflict do nothing
