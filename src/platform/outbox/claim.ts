import type { DatabaseKind, OutboxCtx, Statement, WakeUp } from "../context.ts";
import { isOfStatement } from "../db/repeat-call.ts";
import type { Lease } from "./lease.ts";
import { CLAIM_EMAILS, CLAIM_ROWS } from "./rules.ts";
import { dueRows, outboxTurns } from "./turns.ts";

/** A claimed row. `claims` includes this claim. */
export interface ClaimedRow {
  id: string;
  kind: string;
  ref: string;
  claims: number;
  workspace: number;
}

/** Workspaces whose due rows one claim looks at. */
const WORKSPACES = 32;

/** Rows with a claim are not added: a row that interrupts its runs must not add to the claims of the rows around it. */
const MAY_BE_ADDED = "kind = 'deliver' AND claims = 0 AND leased_until <= ?3";

/**
 * Returns the tables `named` and `due` of the rows that a claim may take, of the others those that meet a condition. A claim
 * leaves due_at, so the statements after it in its batch find the same rows in the same place. ?1: named rows; ?2: token; ?3: now; ?4: rows of a
 * workspace, 0 for none; ?5: where the turns begin.
 */
const candidates = (where: string) => `RECURSIVE named AS MATERIALIZED (
    SELECT value->>'id' AS id, value->>'dueAt' AS due_at, value->>'kind' AS kind, key AS position FROM json_each(?1)
  ), ${outboxTurns("?5", `iif(?4 = 0, 0, ${WORKSPACES})`)}, ${dueRows("due_at <= ?3", where, "?4")}`;

/** SQL that begins a statement on the rows that a claim has taken, by its own parameters: `leased o` are these rows. */
const LEASED_ROWS = `WITH ${candidates(`(token = ?2 OR (${MAY_BE_ADDED}))`)}, leased AS MATERIALIZED (
    SELECT o.* FROM (SELECT id FROM named UNION SELECT id FROM due) c CROSS JOIN outbox o ON o.id = c.id WHERE o.token = ?2)`;

const EMAILS = "iif(json_valid(o.ref), json_array_length(o.ref), 0)";

// The named rows come first, then those of each workspace in turn. A named row that is not due any more is that of a later
// attempt, and one of another kind is not that which the message names: a purge may have the id of what it is for.
const CLAIM = `
  WITH ${candidates(MAY_BE_ADDED)}, candidates AS (
    SELECT o.id, ${EMAILS} AS emails, n.position, 0 AS turn
      FROM named n CROSS JOIN outbox o ON o.id = n.id WHERE o.due_at <= max(?3, n.due_at) AND o.leased_until <= ?3
       AND (o.kind = n.kind OR (o.kind IN ('deliver', 'bulk') AND n.kind IN ('deliver', 'bulk')))
    UNION ALL
    SELECT o.id, ${EMAILS}, ${CLAIM_ROWS}, d.turn FROM due d CROSS JOIN outbox o ON o.id = d.id
     WHERE o.id NOT IN (SELECT id FROM named)
  ), counted AS (
    SELECT id, emails, row_number() OVER place AS rows, sum(emails) OVER place AS total
      FROM candidates WINDOW place AS (ORDER BY position, turn, id)
  )
  UPDATE outbox SET token = ?2, leased_until = ?6, claims = claims + 1
   WHERE id IN (SELECT id FROM counted WHERE rows <= ${CLAIM_ROWS} AND (total <= ?7 OR total = emails))
  RETURNING id, kind, ref, claims, workspace`;

/** Bounds of a claim. */
export interface ClaimOptions {
  /** Also takes due rows with emails that no message named, in turns of workspaces: claims fill under load although each message names few. */
  addsDue: boolean;
  /** Most emails of these rows; a row of more is taken alone. */
  maxEmails?: number;
}

/** The statements of a claim. */
export interface ClaimStatements<Kind extends DatabaseKind> {
  /** Takes the rows that no other run holds. Returns them as ClaimedRow. */
  claim: Statement<Kind>;
  /** Finds them again, when it is not known whether the claim has committed. */
  find: Statement<Kind>;
  /** Prepares a statement that begins with LEASED_ROWS, with further parameters from ?6 on. */
  onLeased(sql: string, ...values: unknown[]): Statement<Kind>;
}

/** Returns the statements that claim outbox rows, at most CLAIM_ROWS, each for LEASE_MS. */
export function claimStatements<Kind extends DatabaseKind>(
  ctx: OutboxCtx<Kind>,
  rows: readonly WakeUp[],
  { token, until }: Lease,
  { addsDue, maxEmails = CLAIM_EMAILS }: ClaimOptions,
): ClaimStatements<Kind> {
  const { outbox } = ctx;
  const named = JSON.stringify(rows.map(({ dueAt, id, kind }) => ({ dueAt, id, kind })));
  const values = [named, token, ctx.now(), addsDue ? CLAIM_ROWS : 0, Math.random()];
  const onLeased = (sql: string, ...others: unknown[]) => outbox.prepare(LEASED_ROWS + sql).bind(...values, ...others);
  return {
    claim: outbox.prepare(CLAIM).bind(...values, until, maxEmails),
    find: onLeased(" SELECT id, kind, ref, claims, workspace FROM leased"),
    onLeased,
  };
}

/**
 * Runs a claim. Each time its connection to D1 is lost, returns what `findHeld` reads under the lease: a claim that has
 * committed would keep its rows from every run for two minutes. A claim that holds nothing (null) is made again, once.
 */
export async function claimOrFindHeld<Claimed>(
  ctx: Pick<OutboxCtx, "log">,
  claim: () => Promise<Claimed>,
  findHeld: () => Promise<Claimed | null>,
): Promise<Claimed> {
  for (let isRepeated = false; ; isRepeated = true)
    try {
      return await claim();
    } catch (error) {
      if (isOfStatement(error)) throw error;
      ctx.log("outbox.claim.repeated", { error: String(error) });
      const held = await findHeld();
      if (held !== null) return held;
      if (isRepeated) throw error;
    }
}
