"""What Python clients bind and read, each with the SQL of the same value, which DuckDB compares it with."""
import datetime
import decimal
import uuid

UTC = datetime.timezone.utc
TOKYO = datetime.timezone(datetime.timedelta(hours=9))

# Values that every client knows.
plain = {
    "true": True,
    "41::BIGINT": 41,
    "2000.4::DOUBLE": 2000.4,
    "'it''s'": "it's",
    "'a' || chr(0) || 'b'": "a\0b",
    "'\\x00\\x01'::BLOB": b"\0\1",
}

# Values that clients know that bind any type of Arrow.
typed = {
    "DATE '2026-11-20'": datetime.date(2026, 11, 20),
    "TIME '12:30:00.000001'": datetime.time(12, 30, 0, 1),
    "TIMESTAMP '2026-11-20 12:30:00.000001'": datetime.datetime(2026, 11, 20, 12, 30, 0, 1),
    "TIMESTAMPTZ '2026-11-20 12:30:00.000001+00'": datetime.datetime(2026, 11, 20, 12, 30, 0, 1, UTC),
    "TIMESTAMPTZ '2026-11-20 03:30:00+00'": datetime.datetime(2026, 11, 20, 12, 30, tzinfo=TOKYO),
    "2000.4::DECIMAL(5, 1)": decimal.Decimal("2000.4"),
    "[1, 2]::BIGINT[]": [1, 2],
    "['PA', 'MT']": ["PA", "MT"],
    "INTERVAL 90 MINUTE": datetime.timedelta(minutes=90),
    "'11111111-2222-3333-4444-555555555555'::UUID": uuid.UUID("11111111-2222-3333-4444-555555555555"),
}

# Statements with parameters, each with values, and the same statement without parameters.
statements = {
    "SELECT ? + 1": ((41,), "SELECT 42"),
    "SELECT ?": (("x",), "SELECT 'x'"),
    "SELECT count(*) FROM vessels WHERE imo > ?": ((9_000_000,), "SELECT count(*) FROM vessels WHERE imo > 9000000"),
    "SELECT count(*) FROM vessels WHERE year_built >= ?": ((2000.4,), "SELECT count(*) FROM vessels WHERE year_built >= 2000.4"),
    "SELECT sum(imo) > ? FROM vessels": ((1,), "SELECT true"),
    "SELECT ?::TIME": (("12:30:00",), "SELECT TIME '12:30:00'"),
    "SELECT (?::TIMESTAMP)::VARCHAR": (("2026-11-20 12:30:00",), "SELECT '2026-11-20 12:30:00'"),
}
typed_statements = {
    "SELECT ?::DECIMAL": ((decimal.Decimal("1.5"),), "SELECT 1.5::DECIMAL"),
    "SELECT count(*) FROM vessels_as_of(?)": ((datetime.date(2026, 11, 24),), "SELECT count(*) FROM vessels_as_of(DATE '2026-11-24')"),
    "SELECT count(*) FROM vessels_as_of(?::TIMESTAMPTZ)": (
        (datetime.datetime(2026, 11, 24, tzinfo=UTC),), "SELECT count(*) FROM vessels_as_of(TIMESTAMPTZ '2026-11-24 00:00:00+00')"),
    "SELECT count(*) FROM vessels WHERE year_built >= ?": (
        (decimal.Decimal("2000.4"),), "SELECT count(*) FROM vessels WHERE year_built >= 2000.4"),
    "SELECT count(*) FROM vessels WHERE flag = ANY(?)": ((["PA", "MT"],), "SELECT count(*) FROM vessels WHERE flag IN ('PA', 'MT')"),
    "SELECT count(*) FROM vessels WHERE last_seen > ?": (
        (datetime.datetime(2026, 11, 1, tzinfo=UTC),), "SELECT count(*) FROM vessels WHERE last_seen > TIMESTAMPTZ '2026-11-01 00:00:00+00'"),
}


def check(cursor, values, statements):
    """Binds each value, and compares it with the SQL of the same value; runs each statement with and without parameters."""

    def answer(sql, *bound):
        cursor.execute(sql, *bound)
        return [tuple(row) for row in cursor.fetchall()]

    for sql, value in values.items():
        got = answer(f"SELECT typeof(a), typeof({sql}), a IS NOT DISTINCT FROM {sql} FROM (SELECT ? AS a)", (value,))
        assert got[0][0] == got[0][1] and got[0][2] is True, f"{value!r} is bound as {got}, not as {sql}"
    for sql, (bound, same) in statements.items():
        got, want = answer(sql, bound), answer(same)
        assert got == want, f"{sql} with {bound}: {got}, but {same}: {want}"
    return len(values), len(statements)
