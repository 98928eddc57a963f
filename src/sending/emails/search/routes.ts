import * as z from "zod";
import { apiRoutes, outlives } from "../../../http/api-routes.ts";
import type { Header } from "../../../http/openapi.ts";
import { pageQuery, refusePagesBeyond, setNextLink } from "../../../http/pagination.ts";
import { isoMicros, parseIsoMicros } from "../../../lib/time.ts";
import { statuses } from "../rules.ts";
import { EmailOut } from "../schema.ts";
import { toRecord } from "../serialize.ts";
import { getSavedSearches, putSavedSearches } from "./saved-searches.ts";
import { SavedSearchesIn, SavedSearchesOut, SearchOut } from "./schema.ts";
import { searchEmails } from "./search.ts";
import { listUpdates } from "./updates.ts";

const hasNoNul = (text: string) => !text.includes("\0");

const before = z.uuid().toLowerCase().optional().describe("Continues after this email, of the Link header.");

const SearchQuery = z
  .object({
    ...pageQuery({ default: 20, max: 100 }),
    q: z
      .string()
      .refine(hasNoNul, "NUL is not allowed")
      .default("")
      .meta({ maxLength: 500 })
      .describe(
        "Words and to:, from:, domain:, status:, tag: tokens; at most 500 bytes. A quoted value may contain spaces.",
      ),
    status: z.enum(statuses).optional(),
    tag: z.string().refine(hasNoNul, "NUL is not allowed").optional().describe("Only emails with exactly this tag."),
    before,
    before_inbound: before.describe("Continues after this inbound email, of the Link header."),
    direction: z
      .enum(["outbound", "inbound", "all"])
      .default("outbound")
      .describe("Only owners and admins get inbound emails. They count as delivered."),
  })
  .superRefine(refusePagesBeyond("before"));

const UpdatesQuery = z.object({
  since: z
    .string()
    .transform((text, context) => {
      // An unencoded plus in a query string decodes to a space.
      const at = parseIsoMicros(text.replace(/ (\d{2}:?\d{2})$/, "+$1"));
      // The range of X-Next-Since: no change is before 1970, and 2^53 microseconds end in the year 2255.
      if (at !== null) return Math.min(Math.max(at, 0), Number.MAX_SAFE_INTEGER);
      context.addIssue({ code: "custom", message: "since must be an ISO 8601 time with an offset", input: text });
      return z.NEVER;
    })
    .meta({
      type: "string",
      format: "date-time",
      description: "ISO 8601 with an offset and up to six decimals.",
      example: "2026-11-21T14:00:00.000000Z",
    }),
});

const nextSince: Header = {
  description: "The value of `since` for the next request, in microseconds.",
  schema: { type: "string", format: "date-time" },
  example: "2026-11-21T14:12:49.120001Z",
};

export const searchRoutes = apiRoutes("Emails")
  .get("/v1/emails/updates", "listEmailUpdates", "emails:view", {
    summary: "List emails created or changed after a time",
    description:
      "Oldest change first. Pass the response header X-Next-Since as the next `since` to receive every change.",
    query: UpdatesQuery,
    returns: { 200: ["At most 50 emails", z.array(EmailOut), { "X-Next-Since": nextSince }] },
    run: async (caller, { query }, c) => {
      const { rows, nextUs, hasMore } = await listUpdates(caller, query.since);
      const since = isoMicros(nextUs);
      c.header("X-Next-Since", since);
      if (hasMore) setNextLink(c, { since });
      return rows.map(toRecord);
    },
  })
  .get("/v1/emails/search", "searchEmails", "emails:view", {
    summary: "Search emails",
    query: SearchQuery,
    returns: { 200: ["A page of emails, newest first", z.array(SearchOut)] },
    run: async (caller, { query }, c) => {
      const { rows, next } = await searchEmails(caller, query);
      if (next !== null) setNextLink(c, { ...next });
      return rows;
    },
  })
  .get("/v1/emails/saved-searches", "getSavedSearches", "emails:view", {
    summary: "List your saved searches",
    returns: { 200: ["The saved searches", SavedSearchesOut] },
    run: (caller) => getSavedSearches(caller),
  })
  .put("/v1/emails/saved-searches", "replaceSavedSearches", "emails:view", outlives.nothing, {
    summary: "Replace your saved searches",
    body: SavedSearchesIn,
    returns: { 200: ["The stored searches", SavedSearchesOut] },
    run: (caller, { body }) => putSavedSearches(caller, body),
  });
