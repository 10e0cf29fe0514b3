-- latest_clear: each night rewrites latest, since nearly all of its rows change.
DELETE FROM internal.latest;
