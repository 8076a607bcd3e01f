-- The model extractor: which turns a model is still to read, and what it answered.

alter table claims add column extractor text not null default 'rules-1';
comment on column claims.extractor is 'name and version of what extracted it: rules, or mode, prompt and model';

create table model_queue (
    tenant text not null,
    turn_id text not null,
    subject_key text not null,
    session_id text not null,
    occurred_at timestamptz not null,
    turn_index integer not null,
    tokens integer not null,
    generation integer not null default 1,
    state text not null default 'waiting' check (state in ('waiting', 'failed')),
    attempts integer not null default 0,
    outages integer not null default 0,
    due_at timestamptz not null,
    call_id uuid,
    alone boolean not null default false,
    reason text not null default '',
    told text not null default '',
    queued_at timestamptz not null default transaction_timestamp(),
    primary key (tenant, turn_id)
);
comment on table model_queue is 'turns that a model is still to read; a row goes when its generation is published';
comment on column model_queue.tokens is 'estimate of the turn''s share of a request';
comment on column model_queue.generation is 'of the next event about the turn';
comment on column model_queue.attempts is 'taken up so often without an answer that counts; written before each call';
comment on column model_queue.outages is 'calls in a row to which nothing was answered: for the back-off alone';
comment on column model_queue.due_at is 'when it may be taken up; a turn taken up is not due until its lease ends';
comment on column model_queue.call_id is 'the call it was last part of, so that a call cut off is made, or answered, anew as it was';
comment on column model_queue.alone is 'to be asked about by itself, after a reply that could not be used';
comment on column model_queue.told is 'the failure that was last published, so that each is published once';
create index model_queue_by_session on model_queue (subject_key, session_id);
create index model_queue_waiting on model_queue (due_at) where state = 'waiting';

create table model_calls (
    id bigint generated always as identity primary key,
    tenant text not null,
    subject_key text not null,
    call_id uuid not null,
    model text not null,
    prompt text not null,
    outcome text not null,
    reply text not null,
    input_tokens integer not null,
    output_tokens integer not null,
    cost double precision not null,
    called_at timestamptz not null default clock_timestamp()
);
comment on table model_calls is 'every reply of a model, stored before it is used: no answered call is made again';
comment on column model_calls.call_id is 'derived from the subject, the turns, the prompt and the model';
comment on column model_calls.outcome is 'ok, or why the reply could not be used';
create index model_calls_by_call on model_calls (call_id) where outcome = 'ok';
create index model_calls_by_time on model_calls (tenant, called_at);

do $$
declare
    name text;
begin
    foreach name in array array['model_queue', 'model_calls'] loop
        execute format('alter table %I enable row level security', name);
        execute format('alter table %I force row level security', name);
        execute format(
            'create policy %I on %I to lithify_worker
             using (subject_key = any ((select visible_subjects())::text[]))
             with check (subject_key = any ((select visible_subjects())::text[]))',
            name || '_of_batch', name);
    end loop;
end
$$;
create policy model_queue_due on model_queue for select to lithify_scheduler using (true);
create policy model_calls_to_prune on model_calls to lithify_scheduler using (true);

grant select, insert, update, delete on model_queue, model_calls to lithify_worker;
grant select (tenant, subject_key, session_id, state, tokens, due_at, call_id, queued_at) on model_queue to lithify_scheduler;
grant select (tenant, cost, called_at), delete on model_calls to lithify_scheduler;
