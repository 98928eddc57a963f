import type { CallerCtx } from "../../context.ts";
import { mailDb } from "../../db/client.ts";
import { findByNumbers, type RecordRow } from "../queries.ts";

/** Emails one call answers with (specification: Limits). */
const MOST = 50;

// The row that began before `since` may stand for changes after it: one of its emails each microsecond.
const FIND_CHANGES = `
  SELECT at_us, emails FROM changes
   WHERE workspace = ?1 AND at_us >= coalesce((SELECT max(at_us) FROM changes WHERE workspace = ?1 AND at_us <= ?2), 0)
   ORDER BY at_us LIMIT ?3`;

/**
 * Emails created or changed after `sinceUs` (microseconds since 1970), oldest change first, each once, at most 50
 * (decisions 1). `nextUs` is what to pass next: no change is left out between two calls, whatever happens meanwhile.
 */
export async function listUpdates(ctx: CallerCtx, sinceUs: number): Promise<{ rows: RecordRow[]; nextUs: number }> {
  const { results } = await mailDb(ctx)
    .prepare(FIND_CHANGES)
    .bind(ctx.workspace.number, sinceUs, MOST + 2)
    .all<{ at_us: number; emails: string }>();
  const seen = new Set<number>();
  let nextUs = sinceUs;
  for (const { at_us, emails } of results) {
    for (const [index, n] of (JSON.parse(emails) as number[]).entries()) {
      const at = at_us + index;
      if (at <= sinceUs) continue;
      if (seen.size === MOST && !seen.has(n)) return { rows: await inOrder(ctx, seen), nextUs };
      // What changed again comes later in the order.
      seen.delete(n);
      seen.add(n);
      nextUs = at;
    }
  }
  return { rows: await inOrder(ctx, seen), nextUs };
}

async function inOrder(ctx: CallerCtx, numbers: ReadonlySet<number>): Promise<RecordRow[]> {
  const rows = new Map((await findByNumbers(ctx, [...numbers])).map((row) => [row.n, row]));
  return [...numbers].flatMap((n) => rows.get(n) ?? []);
}
