-- The roles of a deployment. Run once a cluster by its administrator; passwords are set by the deployment.
-- None is a superuser and none bypasses row-level security: the workers' rights end at the rows of their batch.
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
end
$$;
-- A worker takes these on for single transactions (set local role), never by inheritance.
grant lithify_scheduler, lithify_relay to lithify_worker;
