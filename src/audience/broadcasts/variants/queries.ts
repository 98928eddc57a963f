import type { CallerCtx } from "../../../access/caller.ts";
import { requireFound } from "../../../lib/errors.ts";
import { parseUuid } from "../../../lib/ids.ts";
import { serialize } from "../../../lib/serialize.ts";
import type { MailCtx } from "../../../platform/context.ts";
import type { broadcastVariants } from "../../../platform/db/schema/mail/index.ts";
import type { StoredRow } from "../../../platform/db/stored-row.ts";
import { type Counts, countNames } from "../counts.ts";
import { recipientsOf } from "../fan-out.ts";
import { BROADCAST_NUMBER, type Broadcast } from "../queries.ts";
import { VariantOut } from "./schema.ts";

/** A row of `broadcast_variants` with its counts. */
export type VariantRow = StoredRow<typeof broadcastVariants> & Counts;

const COUNTS = countNames.map((name) => `coalesce(c.${name}, 0) AS ${name}`).join(", ");
const COLUMNS = `
  SELECT v.*, ${COUNTS}
    FROM broadcast_variants v LEFT JOIN broadcast_counts c ON c.broadcast = v.broadcast AND c.variant = v.n`;
const FIND = `${COLUMNS} WHERE v.broadcast = ?1`;

/** Returns the variants of a broadcast, oldest first. */
export async function findVariants(ctx: MailCtx, broadcast: number): Promise<VariantRow[]> {
  return ctx.mail.listRows<VariantRow>(`${FIND} ORDER BY v.id`, broadcast);
}

/** Returns the variants of a broadcast of the caller's workspace by its id, oldest first; none for an unknown one. */
export async function findVariantsOf(ctx: CallerCtx, broadcastId: string): Promise<VariantRow[]> {
  const values = [ctx.workspace.number, parseUuid(broadcastId) ?? ""];
  return ctx.mail.listRows<VariantRow>(`${COLUMNS} WHERE v.broadcast = ${BROADCAST_NUMBER} ORDER BY v.id`, ...values);
}

/** Returns one variant of a broadcast. Throws 404. */
export async function getVariant(ctx: CallerCtx, { row }: Broadcast, id: string): Promise<VariantRow> {
  const uuid = requireFound(parseUuid(id), "Variant");
  return requireFound(await ctx.mail.findRow<VariantRow>(`${FIND} AND v.id = ?2`, row.n, uuid), "Variant");
}

/** Serializes a variant of a broadcast. */
export function toVariant({ row: { id }, fanOut }: Broadcast, variant: VariantRow): VariantOut {
  return serialize(VariantOut, {
    ...variant,
    broadcast_id: id,
    recipient_count: recipientsOf(fanOut, variant.n),
    delivered_count: variant.delivered,
    bounced_count: variant.bounced,
    failed_count: variant.failed,
    opened_count: variant.opened,
    clicked_count: variant.clicked,
  });
}
