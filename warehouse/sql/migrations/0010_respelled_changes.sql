-- Changes that are another spelling of the same value are marked.
ALTER TABLE changes ADD COLUMN respelled BOOLEAN;
UPDATE changes
SET    respelled = coalesce(TRY_CAST(new_value AS DOUBLE) IS NULL
                            AND regexp_replace(upper(old_value), '[^\p{L}\p{N}]', '', 'g') = regexp_replace(upper(new_value), '[^\p{L}\p{N}]', '', 'g'), false);
