"""Checks fleetlake's Flight SQL with flightsql-dbapi, the client of Superset, whose parameters are dense unions.

Usage: dbapi.py ADDRESS TOKEN"""
import sys

from flightsql import FlightSQLClient, connect

import values

host, port = sys.argv[1].rsplit(":", 1)
connection = connect(FlightSQLClient(host=host, port=int(port), token=sys.argv[2], insecure=True))
cursor = connection.cursor()
bound, statements = values.check(cursor, values.plain, values.statements)
print(f"flightsql-dbapi: {bound} values and {statements} statements with parameters are as DuckDB has them")
