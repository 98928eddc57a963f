import type { CallerCtx } from "../../access/caller.ts";
import { type Definition, placedSteps } from "./definition.ts";

const FIND_MAILBOXES = `
  SELECT b.id FROM json_each(?2) j CROSS JOIN mailboxes b ON b.workspace = ?1 AND b.id = j.value
   WHERE b.domain_id IN (SELECT value FROM json_each(?3))`;

/**
 * Returns the automations that the caller may read: a key that is restricted to domains those that send mail, all of it from mailboxes at
 * these domains. `definition`: JSON text. One D1 call for such a key, none for other callers.
 */
export async function readableOf<Row extends { definition: string }>(
  { actor: { domainIds }, db, workspace }: CallerCtx,
  rows: readonly Row[],
): Promise<readonly Row[]> {
  if (domainIds === null) return rows;
  const senders = new Map(rows.map((row) => [row, sendersOf(JSON.parse(row.definition) as Definition)]));
  const ids = JSON.stringify([...new Set([...senders.values()].flat())]);
  const find = db.prepare(FIND_MAILBOXES).bind(workspace.number, ids, JSON.stringify([...domainIds]));
  const permitted = new Set((await find.all<{ id: string }>()).results.map(({ id }) => id));
  return rows.filter((row) => {
    const of = senders.get(row) ?? [];
    return of.length > 0 && of.every((id) => permitted.has(id));
  });
}

const sendersOf = ({ steps }: Definition): string[] =>
  placedSteps(steps).flatMap(({ step }) => (step.kind === "send_email" ? [step.mailbox_id] : []));
