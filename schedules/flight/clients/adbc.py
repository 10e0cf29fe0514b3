"""Checks fleetlake's Flight SQL with ADBC, the stock client of Python.

Usage: adbc.py ADDRESS TOKEN VESSELS, where VESSELS is how many rows the view vessels has."""
import datetime
import sys

import adbc_driver_flightsql.dbapi as flightsql
from adbc_driver_flightsql import DatabaseOptions

import values

address, token, vessels = sys.argv[1], sys.argv[2], int(sys.argv[3])


def connect(**options):
    return flightsql.connect(f"grpc://{address}", db_kwargs=options, autocommit=True)


def refused(sql, words, *bound):
    try:
        with connection.cursor() as c:
            c.execute(sql, *bound)
            c.fetchall()
    except flightsql.Error as e:
        assert words in str(e), f"{sql}: {e}"
        return
    raise AssertionError(f"{sql} is not refused")


connection = connect(**{DatabaseOptions.AUTHORIZATION_HEADER.value: f"Bearer {token}"})
with connection.cursor() as c:
    c.execute("SELECT count(*), max(last_seen) FROM vessels")
    count, seen = c.fetchone()
    assert count == vessels, count
    assert seen.utcoffset() == datetime.timedelta(0), seen

    # A table of Arrow has all rows and columns, each with its type.
    c.execute("FROM vessels")
    table = c.fetch_arrow_table()
    assert table.num_rows == vessels and table.num_columns > 30, table.shape

    # Parameters.
    c.execute("SELECT count(*) FROM vessels WHERE flag = ?", ("PA",))
    bound = c.fetchone()[0]
    c.execute("SELECT count(*) FROM vessels WHERE flag = 'PA'")
    assert c.fetchone()[0] == bound and bound > 0, bound
    c.execute("SELECT ?::DATE, ? + 1, ? IS NULL", (datetime.date(2026, 11, 20), 41, None))
    assert c.fetchone() == (datetime.date(2026, 11, 20), 42, True)

    bound, statements = values.check(c, values.plain | values.typed, values.statements | values.typed_statements)
    for sql, value in (values.plain | values.typed).items():
        c.execute(f"SELECT {sql}")
        got = c.fetchone()[0]
        assert got == value or str(got) == str(value) or "INTERVAL" in sql, f"{sql}: {got!r}, not {value!r}"

    # Types.
    c.execute("SELECT 170141183460469231731687303715884105::HUGEINT AS h, 1.50::DECIMAL(6, 2) AS d, [1, 2] AS l, {'a': 'x'} AS s, TIMESTAMPTZ '2026-11-20 01:00:00+01' AS t")
    h, d, l, s, t = c.fetchone()
    assert (str(h), str(d), l, s) == ("170141183460469231731687303715884105", "1.50", [1, 2], {"a": "x"}), (h, d, l, s)
    assert t == datetime.datetime(2026, 11, 20, tzinfo=datetime.timezone.utc), t

    # Many rows.
    c.execute("SELECT range AS i FROM range(500000)")
    assert c.fetch_arrow_table().num_rows == 500_000

# Metadata.
info = connection.adbc_get_info()
assert info["vendor_name"] == "fleetlake", info
assert connection.adbc_get_table_types() == ["TABLE", "VIEW"]
assert len(connection.adbc_get_table_schema("vessels")) == table.num_columns
objects = connection.adbc_get_objects(depth="columns", table_name_filter="vessels").read_all().to_pylist()
found = [t for o in objects for s in o["catalog_db_schemas"] for t in s["db_schema_tables"]]
assert [(t["table_name"], t["table_type"], len(t["table_columns"])) for t in found] == [("vessels", "VIEW", table.num_columns)], found

columns = {x["column_name"]: x for x in found[0]["table_columns"]}
assert columns["imo"]["xdbc_type_name"] == "INTEGER", columns["imo"]  # this driver fills no remarks
assert not [s for o in connection.adbc_get_objects(depth="db_schemas").read_all().to_pylist() for s in o["catalog_db_schemas"] if s["db_schema_name"] == "internal"]

# What is refused.
refused("SELECT count(*) FROM vessels WHERE flag = ?", "Conversion Error", (datetime.date(2026, 11, 20),))
refused("SELECT ?", "1 parameters, and 2 values", (1, 2))
refused("SELECT nme FROM vessels", 'Referenced column "nme" not found')
refused("CREATE TABLE x (a INTEGER)", "only one statement that reads is accepted")
refused("FROM read_csv('/etc/passwd')", "disabled by configuration")
for options in ({}, {DatabaseOptions.AUTHORIZATION_HEADER.value: "Bearer wrong"}, {"username": "anna", "password": "wrong"}):
    try:
        connect(**options).cursor().execute("SELECT 1")
    except flightsql.Error as e:
        assert "UNAUTHENTICATED" in str(e).upper(), e
        continue
    raise AssertionError(f"{options}: admitted")

# The token as a password.
with connect(username="anna", password=token).cursor() as c:
    c.execute("SELECT 42")
    assert c.fetchone() == (42,)

print(f"adbc: {vessels} vessels of {table.num_columns} columns, {bound} values and {statements} statements with parameters, types, metadata and refusals are as they should be")
