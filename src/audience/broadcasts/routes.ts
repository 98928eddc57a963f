import * as z from "zod";
import { newRoutes } from "../../http/env.ts";
import { idempotent } from "../../http/idempotency.ts";
import { noContent } from "../../http/no-content.ts";
import { operationsOf, responses } from "../../http/openapi.ts";
import { pageQuery, setNextLink } from "../../http/pagination.ts";
import { bodyWithLongTexts, query } from "../../http/validate.ts";
import { createBroadcast } from "./create.ts";
import { deleteBroadcast } from "./delete.ts";
import { getBroadcast, listBroadcasts, toRecord } from "./queries.ts";
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

const operation = operationsOf("Broadcasts");

export const broadcastRoutes = newRoutes()
  .get(
    "/v1/broadcasts/",
    operation("broadcasts:view", "listBroadcasts", {
      summary: "List broadcasts, newest first",
      description: "A page also ends after about 8 MB.",
      responses: responses(200, "A page of broadcasts", z.array(BroadcastOut), [403]),
    }),
    query(ListQuery),
    async (c) => {
      const caller = c.get("caller");
      const { broadcasts, next } = await listBroadcasts(caller, c.req.valid("query"));
      if (next !== null) setNextLink(c, { before: next });
      return c.json(broadcasts.map((broadcast) => toRecord(caller.workspace.id, broadcast)));
    },
  )
  .post(
    "/v1/broadcasts/",
    operation("broadcasts:manage", "createBroadcast", {
      summary: "Create a broadcast",
      description: "With scheduled_at it is scheduled, otherwise it is a draft.",
      responses: responses(201, "The broadcast", BroadcastOut, [403, 404, 408, 409, 413, 415]),
    }),
    ...bodyWithLongTexts(BroadcastIn, contentFields),
    idempotent(201),
    async (c) => c.json(await createBroadcast(c.get("caller"), c.req.valid("json")), 201),
  )
  .get(
    "/v1/broadcasts/:broadcast_id",
    operation("broadcasts:view", "getBroadcast", {
      summary: "Get a broadcast with its counts",
      responses: responses(200, "The broadcast", BroadcastOut, [403, 404]),
    }),
    async (c) => {
      const caller = c.get("caller");
      return c.json(toRecord(caller.workspace.id, await getBroadcast(caller, c.req.param("broadcast_id"))));
    },
  )
  .patch(
    "/v1/broadcasts/:broadcast_id",
    operation("broadcasts:manage", "updateBroadcast", {
      summary: "Update a broadcast that is a draft or scheduled",
      responses: responses(200, "The broadcast", BroadcastOut, [403, 404, 408, 409, 413, 415]),
    }),
    ...bodyWithLongTexts(BroadcastPatch, contentFields),
    async (c) => c.json(await updateBroadcast(c.get("caller"), c.req.param("broadcast_id"), c.req.valid("json"))),
  )
  .delete(
    "/v1/broadcasts/:broadcast_id",
    operation("broadcasts:manage", "deleteBroadcast", {
      summary: "Delete a broadcast that is not sending",
      description: "Its emails stay. Those that were not delivered yet are cancelled.",
      responses: responses(204, "Deleted", null, [403, 404, 409]),
    }),
    (c) => noContent(c, deleteBroadcast(c.get("caller"), c.req.param("broadcast_id"))),
  )
  .route("/", sendingRoutes)
  .route("/", variantRoutes);
