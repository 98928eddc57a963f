import { Hono } from "hono";
import { describeRoute } from "hono-openapi";
import { z } from "zod";
import type { AppEnv } from "../../http/env.ts";
import { responses } from "../../http/openapi.ts";
import { pageQuery, refuseDeepPages } from "../../http/pagination.ts";
import { body, query } from "../../http/validate.ts";
import { isoMicros, parseIsoMicros } from "../../lib/time.ts";
import { statuses } from "../rules.ts";
import { EmailOut } from "../schema.ts";
import { toRecord } from "../serialize.ts";
import { getSavedSearches, putSavedSearches } from "./saved.ts";
import { SavedSearchesIn, SavedSearchesOut, SearchOut } from "./schema.ts";
import { searchEmails } from "./search.ts";
import { listUpdates } from "./updates.ts";

const withoutNul = (text: string) => !text.includes("\0");

const SearchQuery = z
  .object({
    ...pageQuery({ standard: 20, most: 100 }),
    q: z
      .string()
      .refine(withoutNul, "NUL is not allowed")
      .default("")
      .describe("Words, and to: from: domain: status: tag: tokens; a value in quotes may hold spaces."),
    status: z.enum(statuses).optional(),
    tag: z.string().refine(withoutNul, "NUL is not allowed").optional().describe("Exactly this tag."),
    direction: z.enum(["outbound", "inbound", "all"]).default("outbound"),
  })
  .superRefine(refuseDeepPages);

const UpdatesQuery = z.object({
  since: z
    .string()
    .transform((text, context) => {
      // A plus that nobody encoded arrives as a space.
      const at = parseIsoMicros(text.replace(/ (\d{2}:?\d{2})$/, "+$1"));
      if (at !== null) return at;
      context.addIssue({ code: "custom", message: "Not an ISO 8601 time with an offset", input: text });
      return z.NEVER;
    })
    .meta({ type: "string", format: "date-time", description: "ISO 8601 with an offset, to the microsecond." }),
});

const tags = ["Emails"];

export const searchRoutes = new Hono<AppEnv>()
  .get(
    "/v1/emails/updates",
    describeRoute({
      summary: "Emails created or changed since a moment, oldest change first",
      description: "Pass the response header X-Next-Since as the next `since`: nothing is left out between two calls.",
      tags,
      responses: responses(200, "At most 50 emails", z.array(EmailOut), [403]),
    }),
    query(UpdatesQuery),
    async (c) => {
      const { rows, nextUs } = await listUpdates(c.get("caller"), c.req.valid("query").since);
      c.header("X-Next-Since", isoMicros(nextUs));
      return c.json(rows.map(toRecord));
    },
  )
  .get(
    "/v1/emails/search",
    describeRoute({
      summary: "Search emails, newest first",
      tags,
      responses: responses(200, "A page of emails", z.array(SearchOut), [403]),
    }),
    query(SearchQuery),
    async (c) => c.json(await searchEmails(c.get("caller"), c.req.valid("query"))),
  )
  .get(
    "/v1/emails/saved-searches",
    describeRoute({
      summary: "The caller's saved searches",
      tags,
      responses: responses(200, "The list", SavedSearchesOut, [403]),
    }),
    async (c) => c.json(await getSavedSearches(c.get("caller"))),
  )
  .put(
    "/v1/emails/saved-searches",
    describeRoute({
      summary: "Replace the caller's saved searches",
      tags,
      responses: responses(200, "What is stored now", SavedSearchesOut, [403, 413, 415]),
    }),
    ...body(SavedSearchesIn),
    async (c) => c.json(await putSavedSearches(c.get("caller"), c.req.valid("json"))),
  );
