import { apiRoutes } from "../../http/api-routes.ts";
import { getInboundEntry } from "./get.ts";
import { InboundEntryOut } from "./schema.ts";

export const inboundLogRoutes = apiRoutes("Emails").get(
  "/v1/emails/inbound/:message_id",
  "getInboundEmail",
  "domains:view",
  {
    summary: "Get an entry of the inbound log",
    description: "The search with `direction=inbound` lists the entries. They are kept as long as emails.",
    returns: { 200: ["The entry", InboundEntryOut] },
    run: (caller, { message_id }) => getInboundEntry(caller, message_id),
  },
);
