import type { CallerCtx } from "../../context.ts";
import { unprocessable } from "../../errors.ts";
import { utf8Length } from "../../lib/bytes.ts";
import { type EmailPage, listEmails } from "../queries.ts";
import { type Status, statuses } from "../rules.ts";
import { findSendersByText } from "./find-senders.ts";
import { parseSearchQuery } from "./parse-query.ts";
import { planSearch } from "./plan.ts";
import { runPlan } from "./run-plan.ts";
import { type SearchOut, toSearchRecord } from "./schema.ts";

/** Longest query in bytes of UTF-8 (decisions 4). */
const MAX_QUERY = 500;

export interface SearchInput {
  q: string;
  status?: Status;
  tag?: string;
  direction: "outbound" | "inbound" | "all";
  before?: string | undefined;
  page: number;
  limit: number;
}

/**
 * Returns emails that match a query, newest first (specification: GET /v1/emails/search). An empty query returns the
 * plain list. Throws 422 for a query over 500 bytes.
 */
export async function searchEmails(ctx: CallerCtx, input: SearchInput): Promise<EmailPage<SearchOut>> {
  if (utf8Length(input.q) > MAX_QUERY) {
    throw unprocessable([
      { loc: ["query", "q"], msg: `q is ${utf8Length(input.q)} bytes; the limit is ${MAX_QUERY}`, type: "too_long" },
    ]);
  }
  // Inbound emails are not stored yet. Only owners and admins will see them.
  if (input.direction === "inbound") return NOTHING;
  const query = parseSearchQuery(input.q);
  if (input.tag) query.tag.push(input.tag);
  const wanted = new Set([...query.status, ...(input.status ? [input.status] : [])]);
  const [status] = wanted;
  if (wanted.size > 1 || (status !== undefined && !isStatus(status))) return NOTHING;
  const { before, page, limit } = input;
  const plan = planSearch(ctx.workspace.number, query, status ?? null, await findSendersByText(ctx, query));
  const { rows, next } =
    plan.scanConditions.length > 0
      ? await runPlan(ctx, plan, { before, page, limit })
      : await listEmails(ctx, { status, before, page, limit });
  return { rows: rows.map(toSearchRecord), next };
}

const NOTHING = { rows: [], next: null };

const isStatus = (text: string): text is Status => (statuses as readonly string[]).includes(text);
