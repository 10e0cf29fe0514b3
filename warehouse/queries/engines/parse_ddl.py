"""Parses the statements that an export has for other engines, each in the dialect of its engine.

    python parse_ddl.py LAKE

LAKE is an export. It ends with 1 if sqlglot cannot parse a statement, or does not know what it is.
"""
import pathlib
import sys

import sqlglot


def parse(path):
    """Return the number of statements of a file, and what is wrong with some."""
    dialect, wrong, statements = path.stem, [], 0
    try:
        parsed = sqlglot.parse(path.read_text(), read=dialect, error_level=sqlglot.ErrorLevel.RAISE)
    except sqlglot.errors.SqlglotError as reason:
        return 0, [f"{path.name}: {str(reason).strip().splitlines()[0][:300]}"]
    for statement in parsed:
        if statement is None or isinstance(statement, sqlglot.exp.Semicolon):
            continue
        statements += 1
        if isinstance(statement, sqlglot.exp.Command):
            wrong.append(f"{path.name}: not understood: {statement.sql()[:200]!r}")
    return statements, wrong


def main(lake):
    failed = False
    files = sorted(pathlib.Path(lake, "ddl").glob("*.sql"))
    for path in files:
        statements, wrong = parse(path)
        print(f"ddl: {path.name}: {statements} statements parsed, {len(wrong)} wrong", flush=True)
        for line in wrong:
            print("  " + line)
        failed = failed or bool(wrong) or not statements
    return int(failed or not files)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
