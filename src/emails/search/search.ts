import type { CallerCtx } from "../../context.ts";
import { unprocessable } from "../../errors.ts";
import { utf8Length } from "../../lib/bytes.ts";
import { listEmails } from "../queries.ts";
import { type Status, statuses } from "../rules.ts";
import { planSearch } from "./conditions.ts";
import { parseSearchQuery } from "./query.ts";
import { findPlanned } from "./rows.ts";
import { type SearchOut, toFound } from "./schema.ts";

/** Longest query (decisions 4), in octets of UTF-8. */
const MAX_QUERY = 500;

export interface SearchInput {
  q: string;
  status?: Status;
  tag?: string;
  direction: "outbound" | "inbound" | "all";
  page: number;
  limit: number;
}

/**
 * Emails that a query finds, newest first (specification: GET /v1/emails/search). An empty query is the plain list.
 * Throws 422 for one over 500 octets.
 */
export async function searchEmails(ctx: CallerCtx, input: SearchInput): Promise<SearchOut[]> {
  if (utf8Length(input.q) > MAX_QUERY) {
    throw unprocessable([{ loc: ["query", "q"], msg: `A query has at most ${MAX_QUERY} bytes`, type: "too_long" }]);
  }
  // Inbound rows are for admins and owners; there are none before mail is taken in.
  if (input.direction === "inbound") return [];
  const query = parseSearchQuery(input.q);
  if (input.tag) query.tag.push(input.tag);
  const wanted = new Set([...query.status, ...(input.status ? [input.status] : [])]);
  const [status] = wanted;
  if (wanted.size > 1 || (status !== undefined && !isStatus(status))) return [];
  const { page, limit } = input;
  const plan = planSearch(ctx.workspace.number, query, status ?? null);
  if (plan.walked.length > 0) {
    return (await findPlanned(ctx, plan, { page, limit })).map(toFound);
  }
  return (await listEmails(ctx, { ...(status ? { status } : {}), page, limit })).map(toFound);
}

const isStatus = (text: string): text is Status => (statuses as readonly string[]).includes(text);
