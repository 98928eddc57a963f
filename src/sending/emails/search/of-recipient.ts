import type { CallerCtx } from "../../../access/caller.ts";
import { withinBytes } from "../../../platform/db/byte-pages.ts";
import type { StoredEvent } from "../../../platform/db/email-json.ts";
import type { EmailPage } from "../queries.ts";
import { type EventEntry, readEvents, recipientKey } from "../timeline/index.ts";
import { parseSearchQuery } from "./parse-query.ts";
import { planSearch } from "./plan.ts";
import { type FoundRow, runPlan } from "./run-plan.ts";

/** An email, and its entries for one person: one for each time that it names the address. */
export interface EmailOfRecipient {
  row: FoundRow;
  entries: FoundRow["recipients"];
  /** The events about the person, and those about the email as a whole, oldest first. */
  events: EventEntry[];
}

/** Bytes of events of a page. */
const EVENT_BYTES = 4_000_000;
const FIND_EVENTS = `
  SELECT e.n, e.events, p.found FROM (${withinBytes(
    "SELECT n, octet_length(events) AS bytes FROM emails WHERE n IN (SELECT value FROM json_each(?1)) ORDER BY n DESC LIMIT -1",
    EVENT_BYTES,
  )}) p CROSS JOIN emails e ON e.n = p.n ORDER BY e.n DESC`;

/**
 * Returns the emails to a canonical address that the caller may see, newest first, by the search index. A page may have fewer rows than
 * `limit`, also none, and be followed by others, since the index finds addresses that contain this one too.
 */
export async function findEmailsTo(
  ctx: CallerCtx,
  key: string,
  { before, limit }: { before?: string | undefined; limit: number },
): Promise<EmailPage<EmailOfRecipient>> {
  const plan = planSearch(ctx.workspace.number, { ...parseSearchQuery(""), to: [key] }, null);
  const { rows, next } = await runPlan(ctx, plan, { before, page: 0, limit });
  const found = rows.flatMap((row) => {
    const entries = row.recipients.filter((entry) => recipientKey(entry) === key);
    return entries.length > 0 ? [{ row, entries }] : [];
  });
  if (found.length === 0) return { rows: [], next };
  const numbers = JSON.stringify(found.map(({ row }) => row.n));
  const results = await ctx.mail.listRows<{ n: number; events: string; found: number }>(FIND_EVENTS, numbers);
  const byNumber = new Map(results.map(({ n, events }) => [n, JSON.parse(events) as StoredEvent[]]));
  // Others are read on the next page.
  const page = found.filter(({ row }) => byNumber.has(row.n));
  const isCut = results.length < (results[0]?.found ?? 0);
  return {
    rows: page.map(({ row, entries }) => ({
      row,
      entries,
      events: eventsAbout(readEvents(byNumber.get(row.n) ?? [], row), entries),
    })),
    next: isCut ? (page.at(-1)?.row.id ?? next) : next,
  };
}

function eventsAbout(events: readonly EventEntry[], entries: FoundRow["recipients"]): EventEntry[] {
  const addresses = new Set<unknown>(entries.map(({ email }) => email));
  return events
    .filter(({ metadata }) => metadata?.recipient === undefined || addresses.has(metadata.recipient))
    .toSorted((a, b) => a.at - b.at);
}
