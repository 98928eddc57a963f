import type { MailCtx } from "../../platform/context.ts";
import { bytesSql, withinBytes } from "../../platform/db/byte-pages.ts";
import {
  applyFacts,
  EMAIL_STATE_COLUMNS,
  type EmailStateRow,
  type EmailUpdate,
  type Hit,
  toState,
} from "../emails/index.ts";
import { findAuthoredLinks } from "./authored-links.ts";
import type { HitMessage } from "./hit.ts";
import { isMachine } from "./rules.ts";

/** Bytes of emails that are read and written at once: as JSON they may be twice as long, and D1 takes a parameter of 2 MB, hits included. */
const PAGE_BYTES = 500_000;

// One seek in emails_by_id for each email.
const FIND_HIT = `
  WITH j AS MATERIALIZED (SELECT DISTINCT value->>0 AS workspace, value->>1 AS id FROM json_each(?1))
  SELECT ${EMAIL_STATE_COLUMNS}, e.variables, p.found FROM (${withinBytes(
    `SELECT s.n, ${bytesSql("s.events", "s.recipients", "s.variables")} AS bytes
       FROM j CROSS JOIN emails s ON s.workspace = j.workspace AND s.id = j.id WHERE s.n > ?2 ORDER BY s.n LIMIT -1`,
    PAGE_BYTES,
  )}) p CROSS JOIN emails e ON e.n = p.n ORDER BY e.n`;

/** `found`: the emails of the batch that were not read before. */
type HitRow = EmailStateRow & { variables: string | null; found: number };

/**
 * Merges opens and clicks into their emails of one mail database: one read for all emails and one guarded write, or
 * several when the timelines are long. Safe to run twice. Drops a hit whose email is not in this database.
 */
export async function recordHits(ctx: MailCtx, messages: readonly HitMessage[]): Promise<void> {
  const sorted = messages.toSorted((a, b) => a.at - b.at);
  const hitsOf = Map.groupBy(sorted, ({ workspace, email }) => `${workspace} ${email}`);
  const keys = JSON.stringify(messages.map(({ workspace, email }) => [workspace, email]));
  for (let [after, left] = [0, messages.length]; left > 0; ) {
    const results = await ctx.mail.listRows<HitRow>(FIND_HIT, keys, after);
    const variantsOf = results.flatMap((row) => toVariant(row) ?? []);
    const authoredLink = variantsOf.length > 0 ? await findAuthoredLinks(ctx, variantsOf) : null;
    const updates = results.map((row): EmailUpdate => {
      const variant = toVariant(row);
      const values = variant && row.variables ? (JSON.parse(row.variables) as Record<string, unknown>) : {};
      const hits = (hitsOf.get(`${row.workspace} ${row.id}`) ?? []).map(toHit).map((hit): Hit => {
        const link = variant && hit.url !== undefined ? authoredLink?.(variant, hit.url, values) : undefined;
        return link === undefined ? hit : { ...hit, link };
      });
      return { state: toState(row), facts: [], attempt: 0, hits };
    });
    if (updates.length > 0) await applyFacts(ctx, updates);
    const last = results.at(-1);
    [after, left] = [last?.n ?? 0, (last?.found ?? 0) - results.length];
  }
}

/** Returns the variant whose content an email of a broadcast has, or null for other emails. */
function toVariant({ broadcast, variant }: HitRow): { broadcast: number; variant: number } | null {
  return broadcast === null ? null : { broadcast, variant: variant ?? 0 };
}

/** Converts a queue message to the form that emails merge. */
export function toHit({ id, kind, at, recipient, url, ua, ip, purpose = "", network = "" }: HitMessage): Hit {
  const machine = isMachine({ userAgent: ua, purpose, network });
  return { id, kind, at, recipient, url, userAgent: ua, ip, machine };
}
