import * as z from "zod";
import { apiRoutes, outlives } from "../../../http/api-routes.ts";
import { pageQuery, setNextLink } from "../../../http/pagination.ts";
import { getAudience } from "../audience.ts";
import { cancelBroadcast } from "../cancel.ts";
import { listSkipped } from "../list-skipped.ts";
import { pauseBroadcast, resumeBroadcast } from "../pause.ts";
import { promoteVariant } from "../promote.ts";
import { getBroadcast } from "../queries.ts";
import { listRecipients } from "../recipients.ts";
import {
  AudienceOut,
  activities,
  RecipientOut,
  recipientStatuses,
  SkippedOut,
  TestIn,
  TestOut,
  TopLinksOut,
} from "../report-schema.ts";
import { limits } from "../rules.ts";
import { BroadcastOut } from "../schema.ts";
import { sendBroadcast } from "../send.ts";
import { sendTest } from "../send-test.ts";
import { setWebVersion } from "../set-web-version.ts";
import { skipReasons } from "../skip-reasons.ts";
import { getTopLinks } from "../top-links.ts";

const listQuery = {
  limit: pageQuery({ default: 50, max: 200 }).limit,
  after: z
    .string()
    .regex(/^\d{1,15}$/, "after must be the value of a Link header")
    .transform(Number)
    .optional()
    .describe("Cursor from the `Link` header of the previous page."),
};
const RecipientsQuery = z.object({
  status: z.enum(recipientStatuses).optional(),
  activity: z
    .enum(activities)
    .optional()
    .describe("Only people who opened or clicked, or who left: they unsubscribed by this email, or marked it as spam."),
  ...listQuery,
});
const SkippedQuery = z.object({
  q: z.string().max(320).optional().describe("Part of an address. A whole address is found at once."),
  reason: z.enum(skipReasons).optional(),
  ...listQuery,
});
const LinksQuery = z.object({ limit: pageQuery({ default: 10, max: 50 }).limit });

/** The responses of a pause, its end and a cancellation. */
const stateChange = { once: false, returns: { 200: ["The broadcast", BroadcastOut] }, errors: [409] } as const;

/** The routes that send a broadcast, and those that tell what became of it. */
export const sendingRoutes = apiRoutes("Broadcasts")
  .post("/v1/broadcasts/:broadcast_id/send", "sendBroadcast", "broadcasts:send", outlives.nothing, {
    summary: "Send a broadcast",
    description:
      `Fixes its audience, at most ${limits.audience.toLocaleString("en")} contacts. ` +
      "With a sample, only the sample is mailed until a variant is promoted.",
    returns: { 200: ["The broadcast", BroadcastOut] },
    run: (caller, { broadcast_id }) => sendBroadcast(caller, broadcast_id),
  })
  .post(
    "/v1/broadcasts/:broadcast_id/promote/:variant_id",
    "promoteBroadcastVariant",
    "broadcasts:send",
    outlives.nothing,
    {
      summary: "Send the winning variant to the contacts outside the sample",
      returns: { 200: ["The broadcast", BroadcastOut] },
      run: (caller, { broadcast_id, variant_id }) => promoteVariant(caller, broadcast_id, variant_id),
    },
  )
  .post("/v1/broadcasts/:broadcast_id/cancel", "cancelBroadcast", "broadcasts:send", outlives.nothing, {
    summary: "Cancel a scheduled or sending broadcast",
    description: "Emails that were not given to a mail server yet are cancelled too.",
    ...stateChange,
    run: (caller, { broadcast_id }) => cancelBroadcast(caller, broadcast_id),
  })
  .post("/v1/broadcasts/:broadcast_id/pause", "pauseBroadcast", "broadcasts:send", outlives.nothing, {
    summary: "Pause a sending broadcast",
    ...stateChange,
    run: (caller, { broadcast_id }) => pauseBroadcast(caller, broadcast_id),
  })
  .post("/v1/broadcasts/:broadcast_id/resume", "resumeBroadcast", "broadcasts:send", outlives.nothing, {
    summary: "Resume a paused broadcast",
    ...stateChange,
    run: (caller, { broadcast_id }) => resumeBroadcast(caller, broadcast_id),
  })
  .post(
    "/v1/broadcasts/:broadcast_id/web-version",
    "createBroadcastWebVersion",
    "broadcasts:manage",
    outlives.nothing,
    {
      summary: "Show a broadcast on the web",
      description: "At `web_version_url`, a public page without values of contacts and without links to unsubscribe.",
      ...stateChange,
      run: (caller, { broadcast_id }) => setWebVersion(caller, broadcast_id, true),
    },
  )
  .delete(
    "/v1/broadcasts/:broadcast_id/web-version",
    "removeBroadcastWebVersion",
    "broadcasts:manage",
    outlives.nothing,
    {
      summary: "Take a broadcast from the web",
      description: "Its page is a 404 from then on. Shown again, it has another address.",
      returns: stateChange.returns,
      run: (caller, { broadcast_id }) => setWebVersion(caller, broadcast_id, false),
    },
  )
  .post("/v1/broadcasts/:broadcast_id/test", "sendBroadcastTest", "broadcasts:send", outlives.nothing, {
    summary: "Send a broadcast to given addresses as a test",
    description:
      "Without `contact`, placeholders other than {{email}} and {{unsubscribe_url}} render as empty strings.",
    body: TestIn,
    returns: { 202: ["The emails", TestOut] },
    run: (caller, { broadcast_id, body }) => sendTest(caller, broadcast_id, body),
  })
  .get("/v1/broadcasts/:broadcast_id/audience", "getBroadcastAudience", "broadcasts:view", {
    summary: "Count the contacts that get a broadcast and those that are skipped",
    returns: { 200: ["The counts", AudienceOut] },
    run: (caller, { broadcast_id }) => getAudience(caller, broadcast_id),
  })
  .get("/v1/broadcasts/:broadcast_id/recipients", "listBroadcastRecipients", "broadcasts:view", {
    summary: "List the recipients of a broadcast",
    description: "A page with a filter may be empty and still have a next page.",
    query: RecipientsQuery,
    returns: { 200: ["A page of recipients", z.array(RecipientOut)] },
    run: async (caller, { broadcast_id, query }, c) => {
      const { recipients, next } = await listRecipients(caller, broadcast_id, query);
      if (next !== null) setNextLink(c, { after: String(next) });
      return recipients;
    },
  })
  .get("/v1/broadcasts/:broadcast_id/skipped", "listBroadcastSkipped", "broadcasts:view", {
    summary: "List the contacts that a broadcast skipped, and why",
    description: "Each call reads 10,000 of them, so a page with q or reason may be empty and still have a next page.",
    query: SkippedQuery,
    returns: { 200: ["A page of contacts", z.array(SkippedOut)] },
    run: async (caller, { broadcast_id, query }, c) => {
      const { skipped, next } = await listSkipped(caller, await getBroadcast(caller, broadcast_id), query);
      if (next !== null) setNextLink(c, { after: String(next) });
      return skipped;
    },
  })
  .get("/v1/broadcasts/:broadcast_id/top-links", "listBroadcastTopLinks", "broadcasts:view", {
    summary: "List the links of a broadcast that people clicked most",
    query: LinksQuery,
    returns: { 200: ["The links, most clicked first", TopLinksOut] },
    run: (caller, { broadcast_id, query }) => getTopLinks(caller, broadcast_id, query.limit),
  });
