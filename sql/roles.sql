-- The roles of a deployment. Run once a cluster by its administrator; passwords are set by the deployment.
-- None is a superuser, and none but lithify_backup bypasses row-level security: the workers' rights end at the rows of
-- their batch.
do $$
begin
    if not exists (select from pg_roles where rolname = 'lithify_owner') then
        create role lithify_owner login nosuperuser nobypassrls;
    end if;
    if not exists (select from pg_roles where rolname = 'lithify_worker') then
        create role lithify_worker login noinherit nosuperuser nobypassrls;
    end if;
    if not exists (select from pg_roles where rolname = 'lithify_gateway') then
        create role lithify_gateway login nosuperuser nobypassrls;
    end if;
    if not exists (select from pg_roles where rolname = 'lithify_scheduler') then
        create role lithify_scheduler nologin nosuperuser nobypassrls;
    end if;
    if not exists (select from pg_roles where rolname = 'lithify_relay') then
        create role lithify_relay nologin nosuperuser nobypassrls;
    end if;
    -- Reads every row and changes none: for pg_dump, which cannot work under row-level security.
    if not exists (select from pg_roles where rolname = 'lithify_backup') then
        create role lithify_backup login nosuperuser bypassrls;
    end if;
end
$$;
grant pg_read_all_data to lithify_backup;
alter role lithify_backup set default_transaction_read_only = on;
-- A worker takes these on for single transactions (set local role), never by inheritance.
grant lithify_scheduler, lithify_relay to lithify_worker;
