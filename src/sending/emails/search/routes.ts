import * as z from "zod";
import { newRoutes } from "../../../http/env.ts";
import { operationsOf, responses, withHeader } from "../../../http/openapi.ts";
import { pageQuery, refusePagesBeyond, setNextLink } from "../../../http/pagination.ts";
import { body, query } from "../../../http/validate.ts";
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

const operation = operationsOf("Emails");

export const searchRoutes = newRoutes()
  .get(
    "/v1/emails/updates",
    operation("emails:view", "listEmailUpdates", {
      summary: "List emails created or changed after a time",
      description:
        "Oldest change first. Pass the response header X-Next-Since as the next `since` to receive every change.",
      responses: withHeader(responses(200, "At most 50 emails", z.array(EmailOut), [403]), "X-Next-Since", {
        description: "The value of `since` for the next request, in microseconds.",
        schema: { type: "string", format: "date-time" },
        example: "2026-11-21T14:12:49.120001Z",
      }),
    }),
    query(UpdatesQuery),
    async (c) => {
      const { rows, nextUs, hasMore } = await listUpdates(c.get("caller"), c.req.valid("query").since);
      const since = isoMicros(nextUs);
      c.header("X-Next-Since", since);
      if (hasMore) setNextLink(c, { since });
      return c.json(rows.map(toRecord));
    },
  )
  .get(
    "/v1/emails/search",
    operation("emails:view", "searchEmails", {
      summary: "Search emails",
      responses: responses(200, "A page of emails, newest first", z.array(SearchOut), [403]),
    }),
    query(SearchQuery),
    async (c) => {
      const { rows, next } = await searchEmails(c.get("caller"), c.req.valid("query"));
      if (next !== null) setNextLink(c, { ...next });
      return c.json(rows);
    },
  )
  .get(
    "/v1/emails/saved-searches",
    operation("emails:view", "getSavedSearches", {
      summary: "List your saved searches",
      responses: responses(200, "The saved searches", SavedSearchesOut, [403]),
    }),
    async (c) => c.json(await getSavedSearches(c.get("caller"))),
  )
  .put(
    "/v1/emails/saved-searches",
    operation("emails:view", "replaceSavedSearches", {
      summary: "Replace your saved searches",
      responses: responses(200, "The stored searches", SavedSearchesOut, [403, 413, 415]),
    }),
    ...body(SavedSearchesIn),
    async (c) => c.json(await putSavedSearches(c.get("caller"), c.req.valid("json"))),
  );
