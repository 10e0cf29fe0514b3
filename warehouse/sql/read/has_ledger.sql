-- has_ledger: whether the file has what the ledger is read from. One that an older program published may lack it.
SELECT count(*) = 2 FROM information_schema.tables WHERE table_name IN ('credits_daily', 'operation_datasets');
