import { parseEgressUrl } from "../../mail/smtp/egress-url.ts";
import type { MailCtx } from "../../platform/context.ts";
import { type DomainCount, findWarmUpParts } from "../../sending/receivers/index.ts";
import type { BroadcastRow } from "./queries.ts";
import { estimateWarmUp, type WarmUpEstimate } from "./warm-up-estimate.ts";

/** Contacts that are read from each end of a list. */
const SAMPLED = 500;
/** Domains whose receivers are looked up, those with most contacts first. The rest counts as one receiver. */
const MAX_DOMAINS = 200;

const contactsFrom = (order: "ASC" | "DESC") => `
  SELECT * FROM (
    SELECT c.id, c.email_key AS key, c.suppressed IS NULL AND NOT c.soft_bounced AS is_eligible
      FROM contact_lists l CROSS JOIN contacts c ON c.list = l.n
     WHERE l.workspace = ?1 AND l.id = ?2 ORDER BY c.id ${order} LIMIT ${SAMPLED})`;

const SAMPLE = `
  SELECT substr(key, instr(key, '@') + 1) AS domain, count(*) AS contacts
    FROM (${contactsFrom("ASC")} UNION ${contactsFrom("DESC")}) WHERE is_eligible GROUP BY domain ORDER BY contacts DESC, domain`;

/** Returns the domains of the oldest and the newest contacts of the first list. Reads at most 1,000 of them, however long the list is. */
export async function sampleDomains(ctx: MailCtx, row: BroadcastRow): Promise<DomainCount[]> {
  const { results } = await ctx.mail
    .prepare(SAMPLE)
    .bind(row.workspace, row.contact_list_id ?? "")
    .all<DomainCount>();
  const rest = results.slice(MAX_DOMAINS).reduce((sum, { contacts }) => sum + contacts, 0);
  return [...results.slice(0, MAX_DOMAINS), ...(rest > 0 ? [{ domain: "", contacts: rest }] : [])];
}

/** Returns how long a broadcast takes because the address from which it leaves is new, or null. One D1 call. */
export async function estimateDays(
  ctx: MailCtx,
  row: BroadcastRow,
  { eligible, sample }: { eligible: number; sample: readonly DomainCount[] },
): Promise<WarmUpEstimate | null> {
  if (eligible === 0 || sample.length === 0) return null;
  const now = ctx.now();
  const { bulkEgressUrl, egressUrl, namedEgresses } = ctx.settings;
  const namedHosts = Object.fromEntries([...namedEgresses.urls].map(([name, url]) => [name, hostOf(url)]));
  const leaving = {
    workspace: row.workspace,
    domain: row.from_domain,
    host: hostOf(bulkEgressUrl || egressUrl),
    namedHosts,
  };
  const parts = await findWarmUpParts(ctx, leaving, sample);
  return estimateWarmUp(parts, { eligible, at: Math.max(now, row.scheduled_at ?? 0), now });
}

/** Returns the host of the URL of an egress, or an empty text when it is malformed. */
function hostOf(url: string): string {
  try {
    return parseEgressUrl(url).host;
  } catch {
    return "";
  }
}
