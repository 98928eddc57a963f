import type { CallerCtx } from "../../access/caller.ts";
import { notFound, requireFound } from "../../lib/errors.ts";
import { parseUuid } from "../../lib/ids.ts";
import { type Counts, countNames, countsOf, countsSince, zeroCounts } from "./counts.ts";
import type { NumberedCounts } from "./fan-out.ts";
import { permittedDomains, VISIBLE } from "./queries.ts";

/** The counts of a broadcast by variant, without its contents. Those of its sample stay as they were at the promotion. */
export interface BroadcastResults {
  id: string;
  name: string;
  status: string;
  winnerId: string | null;
  /** In ms since 1970. */
  promotedAt: number | null;
  /** Oldest first. After a promotion those of the sample at that moment, if they were stored. */
  variants: VariantCounts[];
  /** The counts of the promoted variant since the promotion. Null before, and when those of the sample were not stored. */
  remainder: VariantCounts | null;
}

/** `id` and `label` are null for the broadcast's own content. */
type VariantCounts = Counts & { id: string | null; label: string | null };

const FIND = `
  SELECT b.id, b.name, b.status, b.ab_winner_variant_id AS winnerId, b.ab_promoted_at AS promotedAt, b.fan_out->>'$.sample' AS sample
    FROM broadcasts b WHERE ${VISIBLE} AND b.id = ?3`;

const FIND_VARIANTS = `
  SELECT v.n, v.id, v.label FROM broadcasts b CROSS JOIN broadcast_variants v ON v.broadcast = b.n
   WHERE b.workspace = ?1 AND b.id = ?2 ORDER BY v.id`;

const FIND_COUNTS = `
  SELECT c.variant AS n, ${countNames.map((name) => `c.${name}`).join(", ")}
    FROM broadcasts b CROSS JOIN broadcast_counts c ON c.broadcast = b.n WHERE b.workspace = ?1 AND b.id = ?2`;

/** Returns the counts of a broadcast by variant. Throws 404 as `getBroadcast` does. One D1 call to the mail database. */
export async function getBroadcastResults(ctx: CallerCtx, id: string): Promise<BroadcastResults> {
  const uuid = requireFound(parseUuid(id), "Broadcast");
  const db = ctx.mail;
  const { number } = ctx.workspace;
  const [[row], variants, counts] = await db.listEach<[FoundRow, FoundVariant, NumberedCounts]>([
    db.prepare(FIND).bind(number, await permittedDomains(ctx), uuid),
    db.prepare(FIND_VARIANTS).bind(number, uuid),
    db.prepare(FIND_COUNTS).bind(number, uuid),
  ]);
  if (!row) throw notFound("Broadcast");
  return toResults(row, variants, counts);
}

type FoundRow = Omit<BroadcastResults, "variants" | "remainder"> & { sample: string | null };
type FoundVariant = { n: number; id: string; label: string };

function toResults(
  { sample: stored, ...row }: FoundRow,
  variants: readonly FoundVariant[],
  totals: readonly NumberedCounts[],
): BroadcastResults {
  const sample = stored === null ? null : (JSON.parse(stored) as NumberedCounts[]);
  const shown = variants.map(({ n, ...variant }) => ({ ...variant, ...find(sample ?? totals, n) }));
  const winner = sample && variants.find(({ id }) => id === row.winnerId);
  const remainder = winner && {
    id: winner.id,
    label: winner.label,
    ...countsSince(find(totals, winner.n), find(sample, winner.n)),
  };
  const hasOwn = totals.some(({ n }) => n === 0) || variants.length === 0;
  const own = hasOwn ? [{ id: null, label: null, ...find(totals, 0) }] : [];
  return { ...row, variants: [...own, ...shown], remainder: remainder ?? null };
}

const find = (counts: readonly NumberedCounts[], n: number) =>
  countsOf(counts.find((one) => one.n === n) ?? zeroCounts);
