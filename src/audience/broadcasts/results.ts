import type { CallerCtx } from "../../access/caller.ts";
import { notFound } from "../../lib/errors.ts";
import { parseUuid } from "../../lib/ids.ts";
import { mailDb } from "../../platform/db/client.ts";
import { type Counts, permittedDomains, VISIBLE, zeroCounts } from "./queries.ts";

/** The counts of a broadcast by variant, without its contents. */
export interface BroadcastResults {
  id: string;
  name: string;
  status: string;
  winnerId: string | null;
  /** `id` and `label` are null for the broadcast's own content. Oldest first. */
  variants: (Counts & { id: string | null; label: string | null })[];
}

const FIND = `SELECT b.id, b.name, b.status, b.ab_winner_variant_id AS winnerId FROM broadcasts b WHERE ${VISIBLE} AND b.id = ?3`;

const FIND_VARIANTS = `
  SELECT v.n, v.id, v.label FROM broadcasts b CROSS JOIN broadcast_variants v ON v.broadcast = b.n
   WHERE b.workspace = ?1 AND b.id = ?2 ORDER BY v.id`;

const FIND_COUNTS = `
  SELECT c.variant, c.queued, c.attempted, c.delivered, c.bounced, c.failed, c.cancelled, c.opened, c.clicked
    FROM broadcasts b CROSS JOIN broadcast_counts c ON c.broadcast = b.n WHERE b.workspace = ?1 AND b.id = ?2`;

/** Returns the counts of a broadcast by variant. Throws 404 as `getBroadcast` does. One D1 call to the mail database. */
export async function getBroadcastResults(ctx: CallerCtx, id: string): Promise<BroadcastResults> {
  const uuid = parseUuid(id);
  if (uuid === null) throw notFound("Broadcast");
  const db = mailDb(ctx);
  const { number } = ctx.workspace;
  const [found, variants, counts] = await db.batch<unknown>([
    db.prepare(FIND).bind(number, await permittedDomains(ctx), uuid),
    db.prepare(FIND_VARIANTS).bind(number, uuid),
    db.prepare(FIND_COUNTS).bind(number, uuid),
  ]);
  const [row] = (found?.results ?? []) as Omit<BroadcastResults, "variants">[];
  if (!row) throw notFound("Broadcast");
  const countRows = (counts?.results ?? []) as (Counts & { variant: number })[];
  const countsOf = (n: number): Counts => {
    const { variant: _, ...found } = countRows.find(({ variant }) => variant === n) ?? { ...zeroCounts, variant: n };
    return found;
  };
  const ofVariants = ((variants?.results ?? []) as { n: number; id: string; label: string }[]).map(
    ({ n, ...variant }) => ({
      ...variant,
      ...countsOf(n),
    }),
  );
  const own = countRows.some(({ variant }) => variant === 0) || ofVariants.length === 0;
  return { ...row, variants: own ? [{ id: null, label: null, ...countsOf(0) }, ...ofVariants] : ofVariants };
}
