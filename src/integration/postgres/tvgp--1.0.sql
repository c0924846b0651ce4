-- SPDX-License-Identifier: MIT
-- Tables and functions of the extension tvgp (docs/guide/postgresql.md). All of it is in the schema tvgp. A function makes the call
-- of its own name (tvgp/store.h), with its arguments by their names.
\echo Use "CREATE EXTENSION tvgp" to load this file. \quit

CREATE TABLE policy (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE,
    description text NOT NULL,
    snapshot_every bigint NOT NULL CHECK (snapshot_every >= 1),
    n bigint NOT NULL DEFAULT 0,
    chain bigint NOT NULL
) WITH (fillfactor = 50);
CREATE TABLE event (policy bigint NOT NULL, n bigint NOT NULL, chain bigint NOT NULL, line text NOT NULL, PRIMARY KEY (policy, n));
CREATE TABLE snapshot (policy bigint PRIMARY KEY, n bigint NOT NULL, chain bigint NOT NULL, state bytea NOT NULL);
SELECT pg_catalog.pg_extension_config_dump('policy', '');
SELECT pg_catalog.pg_extension_config_dump('policy_id_seq', '');
SELECT pg_catalog.pg_extension_config_dump('event', '');
SELECT pg_catalog.pg_extension_config_dump('snapshot', '');

CREATE FUNCTION "create"(name text, description text, snapshot_every bigint DEFAULT 100) RETURNS void
    AS 'MODULE_PATHNAME', 'tvgp_pg_call' LANGUAGE C VOLATILE;
CREATE FUNCTION ask(name text, t double precision DEFAULT NULL, candidates double precision[] DEFAULT NULL,
    means double precision[] DEFAULT NULL, context double precision[] DEFAULT NULL, available json DEFAULT NULL,
    OUT id bigint, OUT epoch bigint, OUT arm bigint, OUT action text, OUT x double precision[], OUT propensity double precision)
    AS 'MODULE_PATHNAME', 'tvgp_pg_call' LANGUAGE C VOLATILE;
CREATE FUNCTION ask_slate(name text, slate integer, t double precision DEFAULT NULL, candidates double precision[] DEFAULT NULL,
    means double precision[] DEFAULT NULL, context double precision[] DEFAULT NULL, available json DEFAULT NULL)
    RETURNS TABLE (id bigint, epoch bigint, arm bigint, action text, x double precision[], propensity double precision)
    AS 'MODULE_PATHNAME', 'tvgp_pg_call' LANGUAGE C VOLATILE;
CREATE FUNCTION tell(name text, id bigint, y double precision, t double precision DEFAULT NULL, epoch bigint DEFAULT NULL,
    exposure double precision DEFAULT NULL, reference double precision DEFAULT NULL, noise double precision DEFAULT NULL,
    outputs double precision[] DEFAULT NULL, partial boolean DEFAULT NULL)
    RETURNS boolean AS 'MODULE_PATHNAME', 'tvgp_pg_call' LANGUAGE C VOLATILE;
CREATE FUNCTION observe(name text, x double precision[], y double precision, t double precision DEFAULT NULL,
    exposure double precision DEFAULT NULL, reference double precision DEFAULT NULL, noise double precision DEFAULT NULL,
    outputs double precision[] DEFAULT NULL)
    RETURNS boolean AS 'MODULE_PATHNAME', 'tvgp_pg_call' LANGUAGE C VOLATILE;
CREATE FUNCTION observe(name text, x text, y double precision, t double precision DEFAULT NULL,
    exposure double precision DEFAULT NULL, reference double precision DEFAULT NULL, noise double precision DEFAULT NULL,
    outputs double precision[] DEFAULT NULL)
    RETURNS boolean AS 'MODULE_PATHNAME', 'tvgp_pg_call' LANGUAGE C VOLATILE;
CREATE FUNCTION skip(name text, id bigint, t double precision DEFAULT NULL, epoch bigint DEFAULT NULL) RETURNS boolean
    AS 'MODULE_PATHNAME', 'tvgp_pg_call' LANGUAGE C VOLATILE;
CREATE FUNCTION fail(name text, id bigint, t double precision DEFAULT NULL, epoch bigint DEFAULT NULL) RETURNS boolean
    AS 'MODULE_PATHNAME', 'tvgp_pg_call' LANGUAGE C VOLATILE;
CREATE FUNCTION set_available(name text, arms json DEFAULT NULL) RETURNS void
    AS 'MODULE_PATHNAME', 'tvgp_pg_call' LANGUAGE C VOLATILE;
CREATE FUNCTION extend(name text, arms json, points json DEFAULT NULL, means double precision[] DEFAULT NULL) RETURNS void
    AS 'MODULE_PATHNAME', 'tvgp_pg_call' LANGUAGE C VOLATILE;
CREATE FUNCTION set_budget(name text, budget double precision, period double precision, asks double precision) RETURNS void
    AS 'MODULE_PATHNAME', 'tvgp_pg_call' LANGUAGE C VOLATILE;
CREATE FUNCTION set_costs(name text, costs double precision[]) RETURNS void
    AS 'MODULE_PATHNAME', 'tvgp_pg_call' LANGUAGE C VOLATILE;
CREATE FUNCTION set_cost_weight(name text, weight double precision) RETURNS void
    AS 'MODULE_PATHNAME', 'tvgp_pg_call' LANGUAGE C VOLATILE;
CREATE FUNCTION set_payoffs(name text, payoffs double precision[]) RETURNS void
    AS 'MODULE_PATHNAME', 'tvgp_pg_call' LANGUAGE C VOLATILE;
CREATE FUNCTION fit(name text, pieces integer DEFAULT 8) RETURNS boolean
    AS 'MODULE_PATHNAME', 'tvgp_pg_call' LANGUAGE C VOLATILE;
CREATE FUNCTION charge(name text, id bigint, cost double precision) RETURNS boolean
    AS 'MODULE_PATHNAME', 'tvgp_pg_call' LANGUAGE C VOLATILE;
CREATE FUNCTION shares(name text, draws bigint DEFAULT NULL, power double precision DEFAULT NULL,
    floor double precision DEFAULT NULL, t double precision DEFAULT NULL)
    RETURNS TABLE (arm bigint, action text, x double precision[], probability double precision, share double precision)
    AS 'MODULE_PATHNAME', 'tvgp_pg_call' LANGUAGE C VOLATILE;
CREATE FUNCTION off_policy_value(name text, description text, half_life double precision DEFAULT NULL,
    OUT used bigint, OUT missing bigint, OUT dm double precision, OUT dr double precision, OUT dr_se double precision,
    OUT ips double precision, OUT ips_se double precision, OUT snips double precision, OUT snips_se double precision,
    OUT ess double precision, OUT mean_weight double precision, OUT expected double precision, OUT reliable boolean)
    AS 'MODULE_PATHNAME', 'tvgp_pg_call' LANGUAGE C VOLATILE;
CREATE FUNCTION arms(name text, t double precision DEFAULT NULL)
    RETURNS TABLE (arm bigint, action text, x double precision[], mean double precision, sd double precision)
    AS 'MODULE_PATHNAME', 'tvgp_pg_call' LANGUAGE C VOLATILE;
CREATE FUNCTION best(name text, t double precision DEFAULT NULL,
    OUT arm bigint, OUT action text, OUT x double precision[], OUT mean double precision, OUT sd double precision)
    AS 'MODULE_PATHNAME', 'tvgp_pg_call' LANGUAGE C VOLATILE;
CREATE FUNCTION stat(name text, key text) RETURNS double precision AS 'MODULE_PATHNAME', 'tvgp_pg_call' LANGUAGE C VOLATILE;
CREATE FUNCTION state(name text) RETURNS bytea AS 'MODULE_PATHNAME', 'tvgp_pg_call' LANGUAGE C VOLATILE;
CREATE FUNCTION "trim"(name text, before double precision) RETURNS bigint
    AS 'MODULE_PATHNAME', 'tvgp_pg_call' LANGUAGE C VOLATILE;
CREATE FUNCTION "drop"(name text) RETURNS void AS 'MODULE_PATHNAME', 'tvgp_pg_call' LANGUAGE C VOLATILE;
