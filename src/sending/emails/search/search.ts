import type { CallerCtx } from "../../../access/caller.ts";
import { lowerCase } from "../../../lib/addresses.ts";
import { utf8Length } from "../../../lib/bytes.ts";
import { unprocessable } from "../../../lib/errors.ts";
import { type EmailPage, listEmails } from "../queries.ts";
import { type Status, statuses } from "../rules.ts";
import { parseSearchQuery, type SearchQuery } from "./parse-query.ts";
import { isAscii, planSearch, type SearchPlan } from "./plan.ts";
import { lowestOf, type Range, runPlan } from "./run-plan.ts";
import { type SearchOut, toSearchRecord } from "./schema.ts";
import { searchInbound } from "./search-inbound.ts";

/** Longest query in bytes of UTF-8 (docs/contract/paging.md#email-search). */
const MAX_QUERY = 500;

export interface SearchInput extends Range {
  q: string;
  status?: Status;
  tag?: string;
  direction: "outbound" | "inbound" | "all";
  before_inbound?: string | undefined;
}

/** Rows that `page` may skip in a search of both directions, which reads what it skips. */
const MAX_SKIPPED_OF_BOTH = 1_000;

export interface SearchPage {
  rows: SearchOut[];
  next: SearchCursor | null;
}

/** Returns emails that match a query, newest first (docs/contract/paging.md#email-search). Throws 422 for one over 500 bytes. */
export async function searchEmails(ctx: CallerCtx, input: SearchInput): Promise<SearchPage> {
  const { direction, since, until, before, before_inbound, page, limit } = input;
  checkInput(input);
  const query = parseSearchQuery(input.q);
  if (input.tag) query.tag.push(input.tag);
  const wanted = new Set([...query.status, ...(input.status ? [input.status] : [])]);
  const [status] = wanted;
  if (wanted.size > 1 || (status !== undefined && !isStatus(status))) return { rows: [], next: null };
  const plan = planSearch(ctx.workspace.number, query, status ?? null, await findSendersByText(ctx, query));
  if (direction === "outbound") {
    const { rows, next } = await searchOutbound(ctx, plan, { since, until, before, page, limit });
    return { rows, next: next === null ? null : { before: next } };
  }
  if (direction === "inbound") {
    const { rows, next } = await searchInbound(ctx, plan, { before: before_inbound, page, limit });
    return { rows, next: next === null ? null : { before_inbound: next } };
  }
  const skip = page * limit;
  const both = { page: 0, limit: skip + limit };
  const outbound = await searchOutbound(ctx, plan, { ...both, since, until, before });
  const inbound = await searchInbound(ctx, plan, { ...both, before: before_inbound });
  return mergePages(outbound, inbound, { before, before_inbound, skip, limit });
}

function checkInput({ q, direction, page, limit }: SearchInput): void {
  const bytes = utf8Length(q);
  if (bytes > MAX_QUERY)
    throw unprocessable([
      { loc: ["query", "q"], msg: `q is ${bytes} bytes; the limit is ${MAX_QUERY}`, type: "too_long" },
    ]);
  if (direction !== "all" || page * limit <= MAX_SKIPPED_OF_BOTH) return;
  const msg = `page ${page} skips ${page * limit} rows; the limit is ${MAX_SKIPPED_OF_BOTH} with direction=all. Use the Link header to continue`;
  throw unprocessable([{ loc: ["query", "page"], msg, type: "too_big" }]);
}

async function searchOutbound(
  ctx: CallerCtx,
  plan: SearchPlan,
  range: Pick<SearchInput, "since" | "until" | "before" | "page" | "limit">,
): Promise<EmailPage<SearchOut>> {
  const { until, ...listed } = range;
  const { rows, next } =
    plan.scanConditions.length > 0
      ? await runPlan(ctx, plan, range)
      : await listEmails(ctx, { ...listed, status: plan.status ?? undefined, before: lowestOf(until, range.before) });
  return { rows: rows.map(toSearchRecord), next };
}

const isStatus = (text: string): text is Status => (statuses as readonly string[]).includes(text);

/** Mailboxes with letters outside ASCII that one search compares. Most workspaces have none. */
const MAX_MAILBOXES = 10_000;

const FIND_MAILBOXES = `
  SELECT t.value->>'text' AS text, m.id FROM json_each(?2) t CROSS JOIN (
    SELECT id, address FROM mailboxes WHERE workspace = ?1 AND address GLOB '*[^ -~]*' LIMIT ?3) m
   WHERE instr(m.address, t.value->>'key') > 0`;

/**
 * Returns the mailboxes whose canonical address contains a text of the query, by text. Only texts with letters outside
 * ASCII need them: SQLite compares the others with the sender in the email's row. Most searches make no query here.
 */
async function findSendersByText(ctx: CallerCtx, query: SearchQuery): Promise<Map<string, string[]>> {
  const texts = [...new Set([...query.from, ...query.words])].filter((text) => !isAscii(text));
  if (texts.length === 0) return new Map();
  const keys = JSON.stringify(texts.map((text) => ({ text, key: lowerCase(text) })));
  const values = [ctx.workspace.number, keys, MAX_MAILBOXES];
  const results = await ctx.db.listRows<{ text: string; id: string }>(FIND_MAILBOXES, ...values);
  const byText = Map.groupBy(results, ({ text }) => text);
  return new Map([...byText].map(([text, rows]) => [text, rows.map(({ id }) => id)]));
}

/** Where a page of a search continues: after an outbound and after an inbound email. */
interface SearchCursor {
  before?: string | undefined;
  before_inbound?: string | undefined;
}

/**
 * Merges the outbound and the inbound emails of a search by time, newest first, and returns those from `skip` on, at most
 * `limit`. Each page must have `skip + limit` rows or end. `next` is null at the end of both. Pure.
 */
function mergePages(
  outbound: EmailPage<SearchOut>,
  inbound: EmailPage<SearchOut>,
  { skip, limit, ...after }: SearchCursor & { skip: number; limit: number },
): { rows: SearchOut[]; next: SearchCursor | null } {
  const merged = [...outbound.rows, ...inbound.rows].sort((a, b) => compare(b.created_at, a.created_at));
  const taken = merged.slice(0, skip + limit);
  const cursorOf = (page: EmailPage<SearchOut>, direction: SearchOut["direction"], start: string | undefined) => {
    const own = taken.filter((row) => row.direction === direction);
    const isComplete = own.length === page.rows.length;
    return {
      at: (isComplete ? page.next : null) ?? own.at(-1)?.id ?? start,
      hasMore: !isComplete || page.next !== null,
    };
  };
  const [out, into] = [
    cursorOf(outbound, "outbound", after.before),
    cursorOf(inbound, "inbound", after.before_inbound),
  ];
  const next = out.hasMore || into.hasMore ? { before: out.at, before_inbound: into.at } : null;
  return { rows: taken.slice(skip), next };
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
