-- What waits for a next session is found by its override: also once the session is known, an earlier one may arrive late.

drop index slots_awaiting;
alter table slots drop column awaits_session;
create index overrides_next_session on overrides (subject_key) where sys_to is null and end_rule = 'next_session_end';
