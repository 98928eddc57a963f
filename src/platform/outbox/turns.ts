/** SQL of the turns in which workspaces have their due rows taken: a workspace with many rows keeps none of another waiting. */

const NEXT = (after: string) => `SELECT min(workspace) FROM outbox WHERE broadcast IS NULL AND workspace > ${after}`;

/** A recursive table of all workspaces that have rows, but those of broadcasts. Reads an index entry for each. */
export const ALL_TURNS = `turns (workspace) AS MATERIALIZED (
    SELECT min(workspace) FROM outbox WHERE broadcast IS NULL
    UNION ALL SELECT (${NEXT("t.workspace")}) FROM turns t WHERE t.workspace IS NOT NULL)`;

/** A recursive table of all broadcasts that have rows. Reads an index entry for each. */
export const WAITING_BROADCASTS = `waiting (broadcast) AS (
    SELECT min(broadcast) FROM outbox WHERE broadcast IS NOT NULL
    UNION ALL
    SELECT (SELECT min(broadcast) FROM outbox WHERE broadcast > w.broadcast) FROM waiting w WHERE w.broadcast IS NOT NULL)`;

/**
 * Returns a recursive table of at most `limit` workspaces that have rows, from the one at the part `start` (0 to 1) of their numbers on,
 * and then from the first on. Both parameters are SQL expressions.
 */
export const someTurns = (start: string, limit: string) => `turns (workspace) AS MATERIALIZED (
    SELECT * FROM (${NEXT(`${start} * (SELECT max(workspace) FROM outbox WHERE broadcast IS NULL) - 1`)})
    UNION SELECT coalesce((${NEXT("t.workspace")}), (${NEXT("-1")})) FROM turns t LIMIT ${limit})`;

/** Due rows of a workspace that one statement looks at: more are under a lease at once only while a tenant has as many in flight. */
const LOOKED_AT = 1_000;

/**
 * Returns a table `due` of the ids of rows of each workspace of `turns`, the first due first, with the turn that each is for in its
 * workspace. `due` is an SQL condition on due_at, which the index has; `where` one on other columns; `limit` the rows of all, of which each
 * workspace has an equal part, and as many again for those that have fewer. D1 binds numbers as REAL, which LIMIT takes without a fraction only.
 */
export const dueRows = (due: string, where: string, limit: string) => `waiting_turns (workspace) AS MATERIALIZED (
    SELECT t.workspace FROM turns t WHERE EXISTS (
      SELECT 1 FROM outbox WHERE workspace = t.workspace AND broadcast IS NULL AND ${due})
  ), due (id, turn) AS MATERIALIZED (
    SELECT j.value, j.key FROM waiting_turns t CROSS JOIN json_each((
      SELECT json_group_array(id) FROM (
        SELECT id FROM (
          SELECT * FROM outbox WHERE workspace = t.workspace AND broadcast IS NULL AND ${due} ORDER BY due_at LIMIT ${LOOKED_AT})
         WHERE ${where} LIMIT CAST(min(${limit}, 1 + 2 * ${limit} / max(1, (SELECT count(*) FROM waiting_turns))) AS INTEGER)))) j)`;
