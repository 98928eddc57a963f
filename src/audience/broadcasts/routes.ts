import * as z from "zod";
import { apiRoutes, outlives } from "../../http/api-routes.ts";
import { needs } from "../../http/needs.ts";
import { respondBrokenLink, respondMailHtml } from "../../http/page.tsx";
import { pageQuery, setNextLink } from "../../http/pagination.ts";
import { bodyWithLongTexts } from "../../http/validate.ts";
import { copyBroadcast } from "./copy.ts";
import { createBroadcast } from "./create.ts";
import { deleteBroadcast } from "./delete.ts";
import { getBroadcast, listBroadcasts, toRecord } from "./queries.ts";
import { renderWebVersion } from "./render-web-version.ts";
import { contentFields, statuses } from "./rules.ts";
import { BroadcastIn, BroadcastOut, BroadcastPatch } from "./schema.ts";
import { sendingRoutes } from "./sending/routes.ts";
import { updateBroadcast } from "./update.ts";
import { variantRoutes } from "./variants/routes.ts";

const ListQuery = z.object({
  status: z.enum(statuses).optional(),
  limit: pageQuery({ default: 50, max: 200 }).limit,
  before: z.uuid().toLowerCase().optional().describe("Only broadcasts older than this id."),
});

export const broadcastRoutes = apiRoutes("Broadcasts")
  .get("/v1/broadcasts/", "listBroadcasts", "broadcasts:view", {
    summary: "List broadcasts, newest first",
    description: "A page also ends after about 8 MB.",
    query: ListQuery,
    returns: { 200: ["A page of broadcasts", z.array(BroadcastOut)] },
    run: async (caller, { query }, c) => {
      const { broadcasts, next } = await listBroadcasts(caller, query);
      if (next !== null) setNextLink(c, { before: next });
      return broadcasts.map((broadcast) => toRecord(caller.workspace.id, broadcast));
    },
  })
  .post("/v1/broadcasts/", "createBroadcast", "broadcasts:manage", outlives.nothing, {
    summary: "Create a broadcast",
    description: "With scheduled_at it is scheduled, otherwise it is a draft.",
    body: bodyWithLongTexts(BroadcastIn, contentFields),
    returns: { 201: ["The broadcast", BroadcastOut] },
    errors: [404, 408],
    run: (caller, { body }) => createBroadcast(caller, body),
  })
  .get("/v1/broadcasts/:broadcast_id", "getBroadcast", "broadcasts:view", {
    summary: "Get a broadcast with its counts",
    returns: { 200: ["The broadcast", BroadcastOut] },
    run: async (caller, { broadcast_id }) => toRecord(caller.workspace.id, await getBroadcast(caller, broadcast_id)),
  })
  .patch("/v1/broadcasts/:broadcast_id", "updateBroadcast", "broadcasts:manage", outlives.nothing, {
    summary: "Update a broadcast that is a draft or scheduled",
    body: bodyWithLongTexts(BroadcastPatch, contentFields),
    returns: { 200: ["The broadcast", BroadcastOut] },
    errors: [408, 409],
    run: (caller, { broadcast_id, body }) => updateBroadcast(caller, broadcast_id, body),
  })
  .post("/v1/broadcasts/:broadcast_id/copy", "duplicateBroadcast", "broadcasts:manage", outlives.nothing, {
    summary: "Copy a broadcast as a draft",
    description:
      "With its variants, audience and settings, without its time and counts. Lists, mailbox, topic and segment that do not exist any more are null; without its segment, its lists are too.",
    returns: { 201: ["The copy", BroadcastOut] },
    run: (caller, { broadcast_id }) => copyBroadcast(caller, broadcast_id),
  })
  .delete("/v1/broadcasts/:broadcast_id", "deleteBroadcast", "broadcasts:manage", outlives.nothing, {
    summary: "Delete a broadcast that is not sending",
    description: "Its emails stay. Those that were not delivered yet are cancelled.",
    returns: { 204: "Deleted" },
    errors: [409],
    run: (caller, { broadcast_id }) => deleteBroadcast(caller, broadcast_id),
  })
  .app.route("/", sendingRoutes.app)
  .route("/", variantRoutes.app)
  .get("/w/:token", needs("public"), async (c) => {
    const html = await renderWebVersion(c.get("ctx"), c.req.param("token"));
    return html === null ? respondBrokenLink(c) : respondMailHtml(c, html, { foreignImages: true });
  });
