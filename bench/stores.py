# SPDX-License-Identifier: MIT
"""stores.py BUILD [PAIRS]: what a pair of ask and tell costs in PostgreSQL, in processor time of the server and in bytes of write-ahead log, and
the same statements without the library (store alone). One session, commits are not waited for. Prints a table with the ratios."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILD, PAIRS = pathlib.Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 2000
sys.argv = [sys.argv[0], str(BUILD / "integration/postgres/tvgp.so"), "pg_config"]
sys.path.insert(0, str(ROOT / "tests/integration"))
import test_postgres as server  # pylint: disable=wrong-import-position

# What a call does to the tables, with a line of the usual length.
ALONE = """
CREATE TABLE alone(name text PRIMARY KEY, n bigint, chain bigint) WITH (fillfactor = 50);
CREATE TABLE alone_event(policy bigint, n bigint, chain bigint, line text, PRIMARY KEY (policy, n));
INSERT INTO alone VALUES ('p', 0, 0);
CREATE FUNCTION alone_ask() RETURNS bigint LANGUAGE plpgsql AS $$ DECLARE k bigint; BEGIN
    SELECT n INTO k FROM alone WHERE name = 'p' FOR NO KEY UPDATE;
    INSERT INTO alone_event VALUES (1, k + 1, k, '{"n":1,"call":"ask","id":1,"epoch":5078328833972683,"arm":50,"t":1700000000.12,"propensity":1,"x":[0.5]}');
    UPDATE alone SET n = k + 1, chain = k WHERE name = 'p';
    RETURN k; END $$;
CREATE FUNCTION alone_tell(id bigint) RETURNS boolean LANGUAGE plpgsql AS $$ DECLARE k bigint; BEGIN
    SELECT n INTO k FROM alone WHERE name = 'p' FOR NO KEY UPDATE;
    INSERT INTO alone_event VALUES (1, k + 1, k, '{"n":2,"call":"tell","id":1,"y":0.41986508144831514}');
    UPDATE alone SET n = k + 1, chain = k WHERE name = 'p';
    RETURN true; END $$;
"""


def measure(place, pair):
    look = "SELECT pg_read_file('/proc/self/stat') AS stat, pg_current_wal_insert_lsn() - '0/0' AS wal \\gset {0}\n\\echo {0} :{0}stat / :{0}wal\n"
    script = "SET synchronous_commit = off;\n\\o /dev/null\n" + pair * 20 + look.format("a") + pair * PAIRS + look.format("b")
    out = subprocess.run([f"{server.BIN}/psql", "-h", str(place), "-p", server.PORT, "-U", "postgres", "-XAtq", "postgres"], input=script,
                         text=True, capture_output=True, check=True).stdout
    seconds, wal = [], []
    for stat, bytes_ in re.findall(r"^[ab] (.*?)\n? / (\d+)$", out, re.M | re.S):
        fields = stat.rpartition(")")[2].split()
        seconds.append((int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"))
        wal.append(int(bytes_))
    return (seconds[1] - seconds[0]) / PAIRS * 1e6, (wal[1] - wal[0]) / PAIRS


def main():
    place = pathlib.Path(tempfile.mkdtemp())
    server.prepare(place)
    try:
        subprocess.run([f"{server.BIN}/psql", "-h", str(place), "-p", server.PORT, "-U", "postgres", "-Xq", "postgres"], input=ALONE, text=True,
                       check=True)
        rows = [("store alone", measure(place, "SELECT alone_ask() AS id \\gset\nSELECT alone_tell(:id);\n"))]
        for name, description in (("tv", "tv-gp-ucb grid=0:1:101 se=.2 noise=.01 epsilon=.03"), ("auto", "auto-gp-ucb grid=0:1:101")):
            server.Store(place).rows(f"SELECT tvgp.create('{name}', '{description}')")
            pair = f"SELECT id FROM tvgp.ask('{name}') \\gset\nSELECT tvgp.tell('{name}', :id, random());\n"
            rows.append((description, measure(place, pair)))
        print("| policy | us of processor time a pair | ratio | bytes of write-ahead log a pair | ratio |\n| --- | --- | --- | --- | --- |")
        for name, (us, wal) in rows:
            print(f"| {name} | {us:.0f} | {us / rows[0][1][0]:.2f} | {wal:.0f} | {wal / rows[0][1][1]:.2f} |")
    finally:
        server.server(place, "pg_ctl", "-m", "immediate", "-w", "stop")
        shutil.rmtree(place)


main()
