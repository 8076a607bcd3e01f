-- Keys of the dead letters' original bytes, one a day, themselves encrypted under the configured key.
-- A key is destroyed with the letters of its day: then nobody can read what is left of them anywhere.
create table dead_letter_keys (
    day date primary key,
    wrapped text not null
);
comment on table dead_letter_keys is 'never part of a backup: a backup would keep readable what was destroyed here';
comment on column dead_letter_keys.wrapped is 'a Fernet key, encrypted under LITHIFY_DEAD_LETTER_KEY';

grant select, insert on dead_letter_keys to lithify_worker;
grant select (day), delete on dead_letter_keys to lithify_scheduler;
