import { and, eq, gte, sql } from "drizzle-orm";
import type { CallerCtx } from "../../context.ts";
import { orm } from "../../db/client.ts";
import { changes } from "../../db/schema/index.ts";
import { findByNumbers, type RecordRow } from "../queries.ts";

/** Emails in one response (specification: Limits). */
const MAX_EMAILS = 50;

/**
 * Returns emails created or changed after `sinceUs` (microseconds since 1970), oldest change first, each once, at most
 * 50 (decisions 1). `nextUs` is the value of the next `since`: no change is skipped between two calls.
 */
export async function listUpdates(ctx: CallerCtx, sinceUs: number): Promise<{ rows: RecordRow[]; nextUs: number }> {
  const seen = new Set<number>();
  let nextUs = sinceUs;
  for (const { atUs, emails } of await findChanges(ctx, sinceUs)) {
    for (const [index, n] of emails.entries()) {
      const at = atUs + index;
      if (at <= sinceUs) continue;
      if (seen.size === MAX_EMAILS && !seen.has(n)) return { rows: await inOrder(ctx, seen), nextUs };
      // An email that changed twice takes the place of its last change.
      seen.delete(n);
      seen.add(n);
      nextUs = at;
    }
  }
  return { rows: await inOrder(ctx, seen), nextUs };
}

/** Returns change rows, oldest first. A row covers one microsecond per email, so the row before `sinceUs` is included. */
function findChanges(ctx: CallerCtx, sinceUs: number) {
  const workspace = ctx.workspace.number;
  const first = sql`coalesce((SELECT max(at_us) FROM changes WHERE workspace = ${workspace} AND at_us <= ${sinceUs}), 0)`;
  return orm(ctx)
    .select({ atUs: changes.atUs, emails: changes.emails })
    .from(changes)
    .where(and(eq(changes.workspace, workspace), gte(changes.atUs, first)))
    .orderBy(changes.atUs)
    .limit(MAX_EMAILS + 2);
}

async function inOrder(ctx: CallerCtx, numbers: ReadonlySet<number>): Promise<RecordRow[]> {
  const rows = new Map((await findByNumbers(ctx, [...numbers])).map((row) => [row.n, row]));
  return [...numbers].flatMap((n) => rows.get(n) ?? []);
}
