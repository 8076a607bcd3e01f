-- One database of a deployment, run once by the cluster's administrator, with psql, after roles.sql:
-- its owner, the extension, who may enter, and the passwords, which come from the environment.
\set ON_ERROR_STOP on
\getenv owner_password LITHIFY_OWNER_PASSWORD
\getenv worker_password LITHIFY_WORKER_PASSWORD
\getenv gateway_password LITHIFY_GATEWAY_PASSWORD
\getenv backup_password LITHIFY_BACKUP_PASSWORD
alter role lithify_owner password :'owner_password';
alter role lithify_worker password :'worker_password';
alter role lithify_gateway password :'gateway_password';
alter role lithify_backup password :'backup_password';
create extension if not exists vector;
select format('alter database %I owner to lithify_owner', current_database()),
    format('revoke all on database %I from public', current_database()),
    format(
        'grant connect, temporary on database %I to lithify_owner, lithify_worker, lithify_gateway, lithify_backup',
        current_database()
    )
\gexec
