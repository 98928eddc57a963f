/**
 * SQL of the turns in which workspaces have their rows taken: one with many keeps none of another waiting. `from` is a table with a condition,
 * which an index that begins with the workspace has.
 */

const next = (from: string, after: string) => `SELECT min(workspace) FROM ${from} AND workspace > ${after}`;

/** Returns a recursive table of all workspaces that have rows. Reads an index entry for each. */
export const allTurns = (from: string) => `turns (workspace) AS MATERIALIZED (
    SELECT min(workspace) FROM ${from}
    UNION ALL SELECT (${next(from, "t.workspace")}) FROM turns t WHERE t.workspace IS NOT NULL)`;

/**
 * Returns a recursive table of at most `limit` workspaces that have rows, from the one at the part `start` (0 to 1) of their numbers on,
 * and then from the first on. Both parameters are SQL expressions.
 */
export const someTurns = (from: string, start: string, limit: string | number) => `turns (workspace) AS MATERIALIZED (
    SELECT * FROM (${next(from, `${start} * (SELECT max(workspace) FROM ${from}) - 1`)})
    UNION SELECT coalesce((${next(from, "t.workspace")}), (${next(from, "-1")})) FROM turns t LIMIT ${limit})`;

/** SQL of the rows that are taken in turns. */
interface Rows {
  /** A query that finds a row of the workspace `t.workspace` when it has one. */
  exists: string;
  /** A query of the keys of these rows, as `id`, in order. */
  rows: string;
  /** The rows of all, of which each workspace has an equal part, and as many again for those that have fewer. */
  limit: string;
  /** Workspaces that have rows, at most; -1: all of the turns. */
  workspaces?: number;
}

/**
 * Returns a table `due` of the keys of rows of each workspace of `turns`, with the turn that each is for in its workspace. D1 binds numbers as
 * REAL, which LIMIT takes without a fraction only.
 */
export const rowsInTurns = ({
  exists,
  rows,
  limit,
  workspaces = -1,
}: Rows) => `waiting_turns (workspace) AS MATERIALIZED (
    SELECT t.workspace FROM turns t WHERE EXISTS (${exists}) LIMIT ${workspaces}
  ), due (id, turn) AS MATERIALIZED (
    SELECT j.value, j.key FROM waiting_turns t CROSS JOIN json_each((
      SELECT json_group_array(id) FROM (
        ${rows} LIMIT CAST(min(${limit}, 1 + 2 * ${limit} / max(1, (SELECT count(*) FROM waiting_turns))) AS INTEGER)))) j)`;
