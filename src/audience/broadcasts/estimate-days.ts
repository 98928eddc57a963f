import { DAY_MS } from "../../lib/time.ts";
import { parseEgressUrl } from "../../mail/smtp/egress-url.ts";
import { daysFor, labelOf, warmUpOf } from "../../mail/warm-up/warm-up.ts";
import type { MailCtx } from "../../platform/context.ts";
import { type DomainCount, findWarmUpParts, type WarmUpPart } from "../../sending/receivers/index.ts";
import type { BroadcastRow } from "./queries.ts";

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
  const results = await ctx.mail.listRows<DomainCount>(SAMPLE, row.workspace, row.contact_list_id ?? "");
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

/** How long a broadcast takes because its source address is new. */
export interface WarmUpEstimate {
  days: number;
  /** The receiver that takes longest; null: all mail systems that are not known. */
  receiver: string | null;
  /** Contacts of this receiver. */
  contacts: number;
}

/**
 * Returns how many days a broadcast takes by the receivers of a sample of its audience, or null without a warm-up. The receiver that takes
 * longest counts. Domains whose receiver is not known are one receiver with the quick schedule. `at`: when it leaves. Times in ms since 1970.
 */
export function estimateWarmUp(
  parts: readonly WarmUpPart[],
  { eligible, at, now }: { eligible: number; at: number; now: number },
): WarmUpEstimate | null {
  const sampled = Map.groupBy(parts, ({ address }) => address);
  const estimates = [...sampled.values()].flatMap((of) => {
    const sample = of.reduce((sum, { contacts }) => sum + contacts, 0);
    return of.map((part): WarmUpEstimate => {
      const contacts = Math.round((eligible * part.contacts) / Math.max(1, sample));
      return { days: daysOf(part, contacts, { at, now }), receiver: part.receiver && labelOf(part.receiver), contacts };
    });
  });
  return estimates.sort((a, b) => b.days - a.days || b.contacts - a.contacts)[0] ?? null;
}

function daysOf(
  { receiver, since, first, today }: WarmUpPart,
  messages: number,
  { at, now }: { at: number; now: number },
) {
  const dayOf = (time: number) => Math.floor(time / DAY_MS);
  const warmUp = warmUpOf({ name: receiver ?? "" }, since ?? (first ?? dayOf(at)) * DAY_MS);
  return daysFor(warmUp, { messages, sentToday: dayOf(at) === dayOf(now) ? (today ?? 0) : 0 }, at);
}
