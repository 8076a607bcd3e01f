-- What an exporter may see of all subjects: how many overrides and contenders live, never whose or of what.

alter table slots
    add column contenders_alive integer generated always as (jsonb_array_length(contenders)) stored,
    add column contenders_near integer generated always as (
        jsonb_array_length(jsonb_path_query_array(contenders, '$[*] ? (@.posterior >= @.threshold * 0.8)'))
    ) stored;
comment on column slots.contenders_near is 'contenders whose posterior is at least 0.8 of their threshold';
create index slots_contended on slots (contenders_alive) include (contenders_near) where contenders_alive > 0;

create index overrides_by_end on overrides (ends_at) include (started_at) where sys_to is null;

alter table reflections
    add column checked integer not null default 0,
    add column mismatches integer not null default 0;
comment on column reflections.checked is 'slots that the oracle folded anew';
comment on column reflections.mismatches is 'of these, those that differed from what is stored';

create policy overrides_to_count on overrides for select to lithify_scheduler using (true);
grant select (started_at, ends_at, sys_to) on overrides to lithify_scheduler;
grant select (contenders_alive, contenders_near) on slots to lithify_scheduler;
grant select on reflections to lithify_scheduler;
grant select (applied_at) on schema_migrations to lithify_scheduler;
