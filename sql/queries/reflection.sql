-- name: close_turns
-- These turns have reached the end of the pipeline.
update turns t set reflected_at = clock_timestamp()
from json_to_recordset(%(rows)s) as r (tenant text, turn_id text)
where t.tenant = r.tenant and t.turn_id = r.turn_id and t.reflected_at is null

-- name: turns_of_sessions
-- The turns of the stretches that ended at given instants, less those that only supposed, joked, quoted or played.
select
    s.tenant, s.subject_key, s.session_id, s.started_at, s.ended_at,
    t.turn_id, t.occurred_at, t.role, t.speaker, t.content, t.importance
from (
    select distinct tenant, subject_key, session_id, ended_at
    from json_to_recordset(%(rows)s) as r (tenant text, subject_key text, session_id text, ended_at timestamptz)
) r
join sessions s using (tenant, subject_key, session_id, ended_at)
join turns t
    on t.tenant = s.tenant
    and t.subject_key = s.subject_key
    and t.session_id = s.session_id
    and t.occurred_at between s.started_at and s.last_at
where t.role in ('user', 'assistant')
  and not t.skipped
  and not (
      t.stored = 0
      and exists (
          select from jsonb_array_elements_text(t.reject_codes) code
          where code in (select value from json_array_elements_text(%(not_meant)s))
      )
  )
order by t.occurred_at, t.turn_index, t.turn_id

-- name: upsert_episodes
-- Episodes of sessions that ended.
insert into episodes (
    tenant, episode_id, subject_key, session_id, started_at, ended_at, summary, importance, turn_ids
)
select tenant, episode_id, subject_key, session_id, started_at, ended_at, summary, importance, turn_ids
from json_to_recordset(%(rows)s) as r (
    tenant text, episode_id uuid, subject_key text, session_id text, started_at timestamptz, ended_at timestamptz,
    summary text, importance smallint, turn_ids jsonb
)
on conflict (tenant, episode_id) do update
set ended_at = excluded.ended_at,
    summary = excluded.summary,
    importance = excluded.importance,
    turn_ids = excluded.turn_ids

-- name: forget_vectors
-- Vectors of texts that are about to change.
delete from embeddings e
using json_to_recordset(%(rows)s) as r (tenant text, item_id uuid)
where e.tenant = r.tenant and e.item_id = r.item_id

-- name: due_slots
-- Slots of one subject with a scheduled change up to an instant.
select tenant, subject_key, subject, attribute
from slots
where subject_key = %(subject_key)s and next_change_at <= %(as_of)s

-- name: slots_of_subject
-- All slots of one subject.
select tenant, subject_key, subject, attribute
from slots
where subject_key = %(subject_key)s

-- name: slots_named
-- Some slots by id.
select tenant, subject_key, subject, attribute
from slots
where slot_id in (select value::uuid from json_array_elements_text(%(slots)s))

-- name: begin_run
-- Note that a run has begun; nothing is returned for one that was begun before.
insert into reflections (run_id, as_of) values (%(run_id)s, %(as_of)s)
on conflict (as_of) do nothing
returning run_id

-- name: note_progress
-- Note what a run has done since the last note.
update reflections
set slots_done = slots_done + %(done)s, slots_changed = slots_changed + %(changed)s
where as_of = %(as_of)s

-- name: finish_run
-- Note that a run ended, and what its oracle found.
update reflections
set finished_at = clock_timestamp(), checked = %(checked)s, mismatches = %(mismatches)s
where as_of = %(as_of)s

-- name: texts_without_vector
-- Facts and episodes of one subject that the model has not embedded yet.
select f.tenant, 'fact' as item_kind, f.fact_id as item_id, f.attribute || ': ' || f.text as text
from facts f
where f.subject_key = %(subject_key)s
  and f.sys_to is null
  and not exists (
      select from embeddings e
      where e.tenant = f.tenant and e.item_kind = 'fact' and e.item_id = f.fact_id and e.model = %(model)s
  )
union all
select p.tenant, 'episode', p.episode_id, p.summary
from episodes p
where p.subject_key = %(subject_key)s
  and not exists (
      select from embeddings e
      where e.tenant = p.tenant and e.item_kind = 'episode' and e.item_id = p.episode_id and e.model = %(model)s
  )
limit 32

-- name: insert_vectors
-- Vectors of facts and episodes.
insert into embeddings (tenant, subject_key, item_kind, item_id, model, dimension, embedding)
select tenant, subject_key, item_kind, item_id, model, dimension, embedding::vector
from json_to_recordset(%(rows)s) as r (
    tenant text, subject_key text, item_kind text, item_id uuid, model text, dimension integer, embedding text
)
on conflict do nothing
