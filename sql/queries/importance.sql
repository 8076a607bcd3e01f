-- name: insert_turns
-- Working memory: new turns.
insert into turns (
    tenant, turn_id, subject_key, session_id, role, speaker, content, timezone, turn_index, importance, skipped, body,
    occurred_at, received_at, trace_id, epoch
)
select
    tenant, turn_id, subject_key, session_id, role, speaker, content, timezone, turn_index, importance, skipped, body,
    occurred_at, received_at, trace_id, epoch
from json_to_recordset(%(rows)s) as r (
    tenant text, turn_id text, subject_key text, session_id text, role text, speaker text, content text, timezone text,
    turn_index integer, importance smallint, skipped boolean, body json, occurred_at timestamptz,
    received_at timestamptz, trace_id text, epoch integer
)

-- name: published_turns
-- Stored turns as they were published.
select t.tenant, t.subject_key, t.turn_id, t.body::text as body
from json_to_recordset(%(rows)s) as r (tenant text, turn_id text)
join turns t using (tenant, turn_id)
order by t.occurred_at, t.turn_index, t.turn_id

-- name: touch_turns
-- Give turns that are published again their time before they are published once more.
update turns t set appended_at = clock_timestamp()
from json_to_recordset(%(rows)s) as r (tenant text, turn_id text)
where t.tenant = r.tenant and t.turn_id = r.turn_id

-- name: turns_before
-- For each turn, the one just before it in its conversation.
select
    r.tenant, r.turn_id as for_turn, b.turn_id, b.role, left(b.content, 4000) as content, b.occurred_at, b.turn_index
from json_to_recordset(%(rows)s) as r (
    tenant text, turn_id text, subject_key text, session_id text, occurred_at timestamptz, turn_index integer
)
cross join lateral (
    select t.turn_id, t.role, t.content, t.occurred_at, t.turn_index
    from turns t
    where t.subject_key = r.subject_key
      and t.session_id = r.session_id
      and t.role <> 'command'
      and t.occurred_at <= r.occurred_at
      and (t.occurred_at, t.turn_index, t.turn_id) < (r.occurred_at, r.turn_index, r.turn_id)
    order by t.occurred_at desc, t.turn_index desc, t.turn_id desc
    limit 1
) b

-- name: sessions_of
-- All stretches of some conversations.
select s.tenant, s.subject_key, s.session_id, s.started_at, s.last_at, s.ended_at, s.explicit, s.last_turn_id,
       s.last_turn_index
from json_to_recordset(%(rows)s) as r (tenant text, subject_key text, session_id text)
join sessions s using (tenant, subject_key, session_id)

-- name: ends_of
-- Explicit ends of some conversations.
select e.tenant, e.subject_key, e.session_id, e.ended_at
from json_to_recordset(%(rows)s) as r (tenant text, subject_key text, session_id text)
join session_ends e using (tenant, subject_key, session_id)

-- name: turn_times
-- All turns of some conversations, without their content.
select t.turn_id, t.occurred_at, t.turn_index
from json_to_recordset(%(rows)s) as r (tenant text, subject_key text, session_id text)
join turns t using (tenant, subject_key, session_id)
where t.role <> 'command'

-- name: delete_sessions
-- Stretches that were joined to another.
delete from sessions s
using json_to_recordset(%(rows)s) as r (
    tenant text, subject_key text, session_id text, started_at timestamptz
)
where s.tenant = r.tenant
  and s.subject_key = r.subject_key
  and s.session_id = r.session_id
  and s.started_at = r.started_at

-- name: upsert_sessions
-- New stretches, and those that moved on.
insert into sessions (
    tenant, subject_key, session_id, started_at, last_at, ended_at, explicit, last_turn_id, last_turn_index,
    end_sent_for, appended_at
)
select
    tenant, subject_key, session_id, started_at, last_at, ended_at, explicit, last_turn_id, last_turn_index,
    end_sent_for, clock_timestamp()
from json_to_recordset(%(rows)s) as r (
    tenant text, subject_key text, session_id text, started_at timestamptz, last_at timestamptz, ended_at timestamptz,
    explicit boolean, last_turn_id text, last_turn_index integer, end_sent_for text
)
on conflict (tenant, subject_key, session_id, started_at) do update
set last_at = excluded.last_at,
    ended_at = excluded.ended_at,
    explicit = excluded.explicit,
    last_turn_id = excluded.last_turn_id,
    last_turn_index = excluded.last_turn_index,
    end_sent_for = coalesce(excluded.end_sent_for, sessions.end_sent_for),
    appended_at = excluded.appended_at

-- name: insert_ends
-- Explicit ends.
insert into session_ends (tenant, subject_key, session_id, ended_at)
select tenant, subject_key, session_id, ended_at
from json_to_recordset(%(rows)s) as r (tenant text, subject_key text, session_id text, ended_at timestamptz)
on conflict do nothing

-- name: mark_ends_sent
-- Take up the session ends that are still due, under the subjects' locks.
update sessions s set end_sent_for = s.last_turn_id
from json_to_recordset(%(rows)s) as r (tenant text, subject_key text, session_id text, started_at timestamptz),
     subjects u
where s.tenant = r.tenant
  and s.subject_key = r.subject_key
  and s.session_id = r.session_id
  and s.started_at = r.started_at
  and u.tenant = s.tenant
  and u.subject_key = s.subject_key
  and s.end_sent_for is distinct from s.last_turn_id
  and s.ended_at <= clock_timestamp()
returning s.tenant, s.subject_key, u.user_id, s.session_id, s.ended_at, s.last_turn_id
