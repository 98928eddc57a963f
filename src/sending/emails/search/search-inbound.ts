import { sql } from "drizzle-orm";
import type { CallerCtx } from "../../../access/caller.ts";
import { iso } from "../../../lib/time.ts";
import { readAuthentication } from "../../../mail/authentication-results/stored-results.ts";
import { mailOrm } from "../../../platform/db/client.ts";
import type { EmailPage } from "../queries.ts";
import type { SearchPlan } from "./plan.ts";
import { toSql } from "./run-plan.ts";
import type { SearchOut } from "./schema.ts";

/** Newest inbound emails that one request reads. The cursor continues after them. */
const MAX_SCAN = 10_000;

const FIND_NUMBER = "SELECT n FROM inbound_emails WHERE workspace = ?1 AND id = ?2";
const FIND_END = "SELECT id FROM inbound_emails WHERE workspace = ?1 AND n < ?2 ORDER BY n DESC LIMIT 1 OFFSET ?3";

interface InboundRow {
  id: string;
  shown_address: string;
  shown_name: string | null;
  recipient: string;
  shown_subject: string;
  authentication: string;
  received_at: number;
}

/**
 * Returns inbound emails that match a plan, newest first, among MAX_SCAN after the one with the id `before`. They count as
 * delivered. Only owners and admins get any (docs/contract/paging.md#email-search).
 */
export async function searchInbound(
  ctx: CallerCtx,
  plan: SearchPlan,
  { before, page, limit }: { before: string | undefined; page: number; limit: number },
): Promise<EmailPage<SearchOut>> {
  const { actor, workspace } = ctx;
  const isAllowed = actor.role !== "member" && (plan.status === null || plan.status === "delivered");
  const below = isAllowed ? await numberOf(ctx, before) : null;
  if (below === null) return { rows: [], next: null };
  const permitted = actor.domainIds && JSON.stringify([...actor.domainIds]);
  const conditions = [
    ...(permitted ? [sql`e.domain_id IN (SELECT value FROM json_each(${permitted}))`] : []),
    ...plan.scanConditions.map(toSql),
  ];
  // The columns have the names that the conditions of a plan expect of an email, and texts without case.
  const results = await mailOrm(ctx).all<InboundRow>(sql`
    SELECT id, shown_address, shown_name, recipient, shown_subject, authentication, received_at FROM (
      SELECT n, id, domain_id, recipient, authentication, received_at,
             from_address AS shown_address, from_name AS shown_name, subject AS shown_subject,
             coalesce(folded->>'address', from_address) AS from_email, coalesce(folded->>'name', from_name) AS from_name,
             coalesce(folded->>'subject', subject) AS subject,
             json_array(json_object('email', recipient, 'key', recipient)) AS recipients, NULL AS mailbox_id, '[]' AS tags
        FROM inbound_emails WHERE workspace = ${workspace.number} AND n < ${below} ORDER BY n DESC LIMIT ${MAX_SCAN}) e
     WHERE ${sql.join([sql`true`, ...conditions], sql` AND `)} ORDER BY n DESC LIMIT ${limit + 1} OFFSET ${page * limit}`);
  const rows = results.slice(0, limit).map(toSearchRecord);
  if (results.length > limit) return { rows, next: rows.at(-1)?.id ?? null };
  // Without a condition every row was returned.
  if (conditions.length === 0 && (page + 1) * limit < MAX_SCAN) return { rows, next: null };
  const end = await ctx.mail.findRow<{ id: string }>(FIND_END, workspace.number, below, MAX_SCAN - 1);
  return { rows, next: end?.id ?? null };
}

/** Returns the number of the inbound email that a page continues after. Null when it does not exist any more. */
async function numberOf(ctx: CallerCtx, before: string | undefined): Promise<number | null> {
  if (before === undefined) return Number.MAX_SAFE_INTEGER;
  return ctx.mail.findValue<number>(FIND_NUMBER, ctx.workspace.number, before);
}

function toSearchRecord(row: InboundRow): SearchOut {
  return {
    id: row.id,
    direction: "inbound",
    from_address: row.shown_address,
    from_name: row.shown_name,
    to_addresses: [row.recipient],
    subject: row.shown_subject,
    status: "delivered",
    tags: null,
    source: "inbound",
    has_complaint: false,
    opened_count: 0,
    authentication: readAuthentication(row.authentication),
    created_at: iso(row.received_at),
    delivered_at: iso(row.received_at),
  };
}
