-- What each run cost by the account of the journal, as later balances settled it. The program writes the rows with
-- each night; SQL has no rule of its own for what counts as spent.
CREATE TABLE internal.run_accounts (
    run_id VARCHAR,
    balance_before BIGINT,
    balance_after BIGINT,
    settled BIGINT,
    drift BIGINT,
    elsewhere BIGINT,
    unproved BIGINT,
    why VARCHAR
);
