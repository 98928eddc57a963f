import type { CallerCtx } from "../../../access/caller.ts";
import { utf8Length } from "../../../lib/bytes.ts";
import { unprocessable } from "../../../lib/errors.ts";
import { type EmailPage, listEmails } from "../queries.ts";
import { type Status, statuses } from "../rules.ts";
import { findSendersByText } from "./find-senders.ts";
import { mergePages, type SearchCursor } from "./merge-pages.ts";
import { parseSearchQuery } from "./parse-query.ts";
import { planSearch, type SearchPlan } from "./plan.ts";
import { runPlan } from "./run-plan.ts";
import { type SearchOut, toSearchRecord } from "./schema.ts";
import { searchInbound } from "./search-inbound.ts";

/** Longest query in bytes of UTF-8 (docs/contract/paging.md#email-search). */
const MAX_QUERY = 500;

export interface SearchInput {
  q: string;
  status?: Status;
  tag?: string;
  direction: "outbound" | "inbound" | "all";
  before?: string | undefined;
  before_inbound?: string | undefined;
  page: number;
  limit: number;
}

/** Rows that `page` may skip in a search of both directions, which reads what it skips. */
const MAX_SKIPPED_OF_BOTH = 1_000;

export interface SearchPage {
  rows: SearchOut[];
  next: SearchCursor | null;
}

/**
 * Returns emails that match a query, newest first (docs/contract/paging.md#email-search). An empty query returns the plain
 * list. Throws 422 for a query over 500 bytes.
 */
export async function searchEmails(ctx: CallerCtx, input: SearchInput): Promise<SearchPage> {
  const { direction, before, before_inbound, page, limit } = input;
  checkInput(input);
  const query = parseSearchQuery(input.q);
  if (input.tag) query.tag.push(input.tag);
  const wanted = new Set([...query.status, ...(input.status ? [input.status] : [])]);
  const [status] = wanted;
  if (wanted.size > 1 || (status !== undefined && !isStatus(status))) return { rows: [], next: null };
  const plan = planSearch(ctx.workspace.number, query, status ?? null, await findSendersByText(ctx, query));
  if (direction === "outbound") {
    const { rows, next } = await searchOutbound(ctx, plan, { before, page, limit });
    return { rows, next: next === null ? null : { before: next } };
  }
  if (direction === "inbound") {
    const { rows, next } = await searchInbound(ctx, plan, { before: before_inbound, page, limit });
    return { rows, next: next === null ? null : { before_inbound: next } };
  }
  const skip = page * limit;
  const both = { page: 0, limit: skip + limit };
  const outbound = await searchOutbound(ctx, plan, { ...both, before });
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
  range: { before: string | undefined; page: number; limit: number },
): Promise<EmailPage<SearchOut>> {
  const { rows, next } =
    plan.scanConditions.length > 0
      ? await runPlan(ctx, plan, range)
      : await listEmails(ctx, { status: plan.status ?? undefined, ...range });
  return { rows: rows.map(toSearchRecord), next };
}

const isStatus = (text: string): text is Status => (statuses as readonly string[]).includes(text);
