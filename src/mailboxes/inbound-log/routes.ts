import { newRoutes } from "../../http/env.ts";
import { operationsOf, responses } from "../../http/openapi.ts";
import { getInboundEntry } from "./get.ts";
import { InboundEntryOut } from "./schema.ts";

const operation = operationsOf("Emails");

export const inboundLogRoutes = newRoutes().get(
  "/v1/emails/inbound/:message_id",
  operation("domains:view", "getInboundEmail", {
    summary: "Get an entry of the inbound log",
    description: "The search with `direction=inbound` lists the entries. They are kept as long as emails.",
    responses: responses(200, "The entry", InboundEntryOut, [403, 404]),
  }),
  async (c) => c.json(await getInboundEntry(c.get("caller"), c.req.param("message_id"))),
);
