/**
 * Functions of SQLite that statements use and PostgreSQL lacks, in a schema that is searched after that of the project.
 * JSON is stored as text in both, and parsed where a statement looks into it.
 */
export const COMPATIBILITY_SCHEMA = 'waymark_compat'

const S = COMPATIBILITY_SCHEMA

export const COMPATIBILITY = [
  `CREATE SCHEMA IF NOT EXISTS ${S}`,

  `CREATE OR REPLACE FUNCTION ${S}.json_valid(document text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT document IS JSON'`,

  // The members of an array, as text.
  `CREATE OR REPLACE FUNCTION ${S}.json_each(document text) RETURNS TABLE (key bigint, value text)
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE ROWS 20 AS
    'SELECT ordinality - 1, value FROM json_array_elements_text(document::json) WITH ORDINALITY'`,
  `CREATE OR REPLACE FUNCTION ${S}.json_each(document text, path text)
    RETURNS TABLE (key bigint, value text)
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE ROWS 20 AS
    $$SELECT ordinality - 1, value FROM json_array_elements_text(
        CASE WHEN json_typeof(document::json #> string_to_array(substr(path, 3), '.')) = 'array'
          THEN document::json #> string_to_array(substr(path, 3), '.') ELSE '[]' END)
      WITH ORDINALITY$$`,

  `CREATE OR REPLACE FUNCTION ${S}.json_remove(document text, path text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
    $$SELECT (document::jsonb #- string_to_array(substr(path, 3), '.'))::text$$`,

  // A member by its name or by '$.name'.
  `CREATE OR REPLACE FUNCTION ${S}.json_member(document text, path text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
    $$SELECT document::json #>> string_to_array(
        CASE WHEN path LIKE '$.%' THEN substr(path, 3) ELSE path END, '.')$$`,
  `DO $$ BEGIN
    IF NOT EXISTS (SELECT 1 FROM pg_operator WHERE oprname = '->>'
      AND oprleft = 'text'::regtype AND oprnamespace = '${S}'::regnamespace) THEN
      CREATE OPERATOR ${S}.->> (LEFTARG = text, RIGHTARG = text, FUNCTION = ${S}.json_member);
    END IF;
  END $$`,

  `CREATE OR REPLACE FUNCTION ${S}.json_array_of(members text[]) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$SELECT coalesce(array_to_json(members)::text, '[]')$$`,
  `CREATE OR REPLACE AGGREGATE ${S}.json_group_array(text)
    (SFUNC = array_append, STYPE = text[], FINALFUNC = ${S}.json_array_of)`,

  // Only whether a text is a time.
  `CREATE OR REPLACE FUNCTION ${S}.julianday(moment text) RETURNS float
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE AS $$
    BEGIN
      RETURN extract(julian FROM moment::timestamptz);
    EXCEPTION WHEN data_exception THEN
      RETURN NULL;
    END $$`,

  // The server enforces foreign keys, so none is ever broken.
  `CREATE OR REPLACE VIEW ${S}.pragma_foreign_key_check AS
    SELECT CAST('' AS text) AS "table" WHERE false`,

  `CREATE OR REPLACE FUNCTION ${S}.instr(text, text) RETURNS integer
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS 'SELECT strpos($1, $2)'`,
  `CREATE OR REPLACE FUNCTION ${S}.ifnull(bigint, bigint) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT coalesce($1, $2)'`,
  // Of two values; of a column it is the aggregate.
  `CREATE OR REPLACE FUNCTION ${S}.max(bigint, bigint) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
    'SELECT CASE WHEN $1 IS NULL OR $2 IS NULL THEN NULL ELSE greatest($1, $2) END'`,
  `CREATE OR REPLACE FUNCTION ${S}.min(bigint, bigint) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
    'SELECT CASE WHEN $1 IS NULL OR $2 IS NULL THEN NULL ELSE least($1, $2) END'`,
]
