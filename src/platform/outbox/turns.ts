import { allTurns, rowsInTurns, someTurns } from "../db/workspace-turns.ts";

const WAITING = "outbox WHERE broadcast IS NULL";

/** A recursive table of all workspaces that have rows, but those of broadcasts. */
export const ALL_TURNS = allTurns(WAITING);

/** Returns a recursive table of at most `limit` of these workspaces, from the part `start` of their numbers on, as SQL expressions. */
export const outboxTurns = (start: string, limit: string) => someTurns(WAITING, start, limit);

/** A recursive table of all broadcasts that have rows. Reads an index entry for each. */
export const WAITING_BROADCASTS = `waiting (broadcast) AS (
    SELECT min(broadcast) FROM outbox WHERE broadcast IS NOT NULL
    UNION ALL
    SELECT (SELECT min(broadcast) FROM outbox WHERE broadcast > w.broadcast) FROM waiting w WHERE w.broadcast IS NOT NULL)`;

/** Due rows of a workspace that one statement looks at: more are under a lease at once only while a tenant has as many in flight. */
const LOOKED_AT = 1_000;

/**
 * Returns a table `due` of the ids of rows of each workspace of `turns`, the first due first, with the turn that each is for in its
 * workspace. `due` is an SQL condition on due_at, which the index has; `where` one on other columns; `limit` the rows of all.
 */
export const dueRows = (due: string, where: string, limit: string) => {
  const own = `${WAITING} AND workspace = t.workspace AND ${due}`;
  return rowsInTurns({
    exists: `SELECT 1 FROM ${own}`,
    rows: `SELECT id FROM (SELECT * FROM ${own} ORDER BY due_at LIMIT ${LOOKED_AT}) WHERE ${where}`,
    limit,
  });
};
