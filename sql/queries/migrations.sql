-- name: lock
-- One migration run at a time; released with the connection.
select pg_advisory_lock(%(lock)s)

-- name: create_table
-- Where applied migrations are noted.
create table if not exists schema_migrations (
    number integer primary key,
    name text not null,
    digest text not null,
    applied_at timestamptz not null default now()
)

-- name: is_noted
-- Whether any migration was ever applied here.
select to_regclass('schema_migrations') is not null as is_noted

-- name: applied
-- Applied migrations, in order.
select number, name, digest from schema_migrations order by number

-- name: note
-- A migration was applied.
insert into schema_migrations (number, name, digest) values (%(number)s, %(name)s, %(digest)s)
