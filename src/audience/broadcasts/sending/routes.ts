import * as z from "zod";
import { newRoutes } from "../../../http/env.ts";
import { idempotent } from "../../../http/idempotency.ts";
import { noBody } from "../../../http/json-body.ts";
import { operationsOf, responses } from "../../../http/openapi.ts";
import { pageQuery, setNextLink } from "../../../http/pagination.ts";
import { body, query } from "../../../http/validate.ts";
import { getAudience } from "../audience.ts";
import { cancelBroadcast } from "../cancel.ts";
import { pauseBroadcast, resumeBroadcast } from "../pause.ts";
import { promoteVariant } from "../promote.ts";
import { listRecipients } from "../recipients.ts";
import { AudienceOut, RecipientOut, recipientStatuses, TestIn, TestOut, TopLinksOut } from "../report-schema.ts";
import { limits } from "../rules.ts";
import { BroadcastOut } from "../schema.ts";
import { sendBroadcast } from "../send.ts";
import { sendTest } from "../send-test.ts";
import { getTopLinks } from "../top-links.ts";

const operation = operationsOf("Broadcasts");

const RecipientsQuery = z.object({
  status: z.enum(recipientStatuses).optional(),
  limit: pageQuery({ default: 50, max: 200 }).limit,
  after: z
    .string()
    .regex(/^\d{1,15}$/, "after must be the value of a Link header")
    .transform(Number)
    .optional()
    .describe("Cursor from the `Link` header of the previous page."),
});
const LinksQuery = z.object({ limit: pageQuery({ default: 10, max: 50 }).limit });

/** The routes that send a broadcast, and those that tell what became of it. */
export const sendingRoutes = newRoutes()
  .post(
    "/v1/broadcasts/:broadcast_id/send",
    operation("broadcasts:send", "sendBroadcast", {
      summary: "Send a broadcast",
      description:
        `Fixes its audience, at most ${limits.audience.toLocaleString("en")} contacts. ` +
        "With a sample, only the sample is mailed until a variant is promoted.",
      responses: responses(200, "The broadcast", BroadcastOut, [403, 404, 409]),
    }),
    noBody,
    idempotent(200),
    async (c) => c.json(await sendBroadcast(c.get("caller"), c.req.param("broadcast_id"))),
  )
  .post(
    "/v1/broadcasts/:broadcast_id/promote/:variant_id",
    operation("broadcasts:send", "promoteBroadcastVariant", {
      summary: "Send the winning variant to the contacts outside the sample",
      responses: responses(200, "The broadcast", BroadcastOut, [403, 404, 409]),
    }),
    noBody,
    idempotent(200),
    async (c) => {
      const { broadcast_id, variant_id } = c.req.param();
      return c.json(await promoteVariant(c.get("caller"), broadcast_id, variant_id));
    },
  )
  .post(
    "/v1/broadcasts/:broadcast_id/cancel",
    operation("broadcasts:send", "cancelBroadcast", {
      summary: "Cancel a scheduled or sending broadcast",
      description: "Emails that were not given to a mail server yet are cancelled too.",
      responses: responses(200, "The broadcast", BroadcastOut, [403, 404, 409]),
    }),
    async (c) => c.json(await cancelBroadcast(c.get("caller"), c.req.param("broadcast_id"))),
  )
  .post(
    "/v1/broadcasts/:broadcast_id/pause",
    operation("broadcasts:send", "pauseBroadcast", {
      summary: "Pause a sending broadcast",
      responses: responses(200, "The broadcast", BroadcastOut, [403, 404, 409]),
    }),
    async (c) => c.json(await pauseBroadcast(c.get("caller"), c.req.param("broadcast_id"))),
  )
  .post(
    "/v1/broadcasts/:broadcast_id/resume",
    operation("broadcasts:send", "resumeBroadcast", {
      summary: "Resume a paused broadcast",
      responses: responses(200, "The broadcast", BroadcastOut, [403, 404, 409]),
    }),
    async (c) => c.json(await resumeBroadcast(c.get("caller"), c.req.param("broadcast_id"))),
  )
  .post(
    "/v1/broadcasts/:broadcast_id/test",
    operation("broadcasts:send", "sendBroadcastTest", {
      summary: "Send a broadcast to given addresses as a test",
      description: "Placeholders other than {{email}} and {{unsubscribe_url}} render as empty strings.",
      responses: responses(202, "The emails", TestOut, [403, 404, 409, 413, 415]),
    }),
    ...body(TestIn),
    idempotent(202),
    async (c) => c.json(await sendTest(c.get("caller"), c.req.param("broadcast_id"), c.req.valid("json")), 202),
  )
  .get(
    "/v1/broadcasts/:broadcast_id/audience",
    operation("broadcasts:view", "getBroadcastAudience", {
      summary: "Count the contacts that get a broadcast and those that are skipped",
      responses: responses(200, "The counts", AudienceOut, [403, 404]),
    }),
    async (c) => c.json(await getAudience(c.get("caller"), c.req.param("broadcast_id"))),
  )
  .get(
    "/v1/broadcasts/:broadcast_id/recipients",
    operation("broadcasts:view", "listBroadcastRecipients", {
      summary: "List the recipients of a broadcast",
      description: "A page with a status may be empty and still have a next page.",
      responses: responses(200, "A page of recipients", z.array(RecipientOut), [403, 404]),
    }),
    query(RecipientsQuery),
    async (c) => {
      const id = c.req.param("broadcast_id");
      const { recipients, next } = await listRecipients(c.get("caller"), id, c.req.valid("query"));
      if (next !== null) setNextLink(c, { after: String(next) });
      return c.json(recipients);
    },
  )
  .get(
    "/v1/broadcasts/:broadcast_id/top-links",
    operation("broadcasts:view", "listBroadcastTopLinks", {
      summary: "List the links of a broadcast that people clicked most",
      responses: responses(200, "The links, most clicked first", TopLinksOut, [403, 404]),
    }),
    query(LinksQuery),
    async (c) => {
      const { limit } = c.req.valid("query");
      return c.json(await getTopLinks(c.get("caller"), c.req.param("broadcast_id"), limit));
    },
  );
