-- latest_clear: latest is written anew, as nearly all of its rows change.
DELETE FROM latest;
