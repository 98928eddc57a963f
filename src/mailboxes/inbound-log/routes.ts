import { Hono } from "hono";
import { describeRoute } from "hono-openapi";
import type { AppEnv } from "../../http/env.ts";
import { needs } from "../../http/needs.ts";
import { parameter, responses } from "../../http/openapi.ts";
import { getInboundEntry } from "./get.ts";
import { InboundEntryOut } from "./schema.ts";

export const inboundLogRoutes = new Hono<AppEnv>().get(
  "/v1/emails/inbound/:message_id",
  needs("domains:view"),
  describeRoute({
    operationId: "getInboundEmail",
    summary: "Get an entry of the inbound log",
    description: "The search with `direction=inbound` lists the entries. They are kept as long as emails.",
    tags: ["Emails"],
    parameters: [parameter.id("message_id", "Id of the inbound email, as the search returns it")],
    responses: responses(200, "The entry", InboundEntryOut, [403, 404]),
  }),
  async (c) => c.json(await getInboundEntry(c.get("caller"), c.req.param("message_id"))),
);
