import * as z from "zod";
import { apiRoutes, outlives } from "../../http/api-routes.ts";
import { onePage, pageQuery } from "../../http/pagination.ts";
import { list } from "../../http/validate.ts";
import { eventLimits } from "../../platform/person-events/rules.ts";
import { listPersonEvents } from "./queries.ts";
import { EventBatchOut, EventIn, EventSentOut, PersonEventOut, toPersonEvent } from "./schema.ts";
import { sendEvent, sendEvents } from "./send.ts";

const PageQuery = z.object({
  limit: pageQuery({ default: 100, max: 200 }).limit,
  before: z.uuid().toLowerCase().optional().describe("Only events recorded before the one with this id."),
});

export const eventRoutes = apiRoutes("Events")
  .post("/v1/events", "sendEvent", "events:send", outlives.nothing, {
    summary: "Send an event of a person",
    description: "Automations of the workspace begin with events, and wait for them. An event is kept for 90 days.",
    body: EventIn,
    returns: { 202: ["Stored", EventSentOut] },
    errors: [404, 408, 503],
    run: (caller, { body }) => sendEvent(caller, body),
  })
  .post("/v1/events/batch", "sendEventBatch", "events:send", outlives.nothing, {
    summary: `Send up to ${eventLimits.batch} events`,
    description: "All events are stored, or none: one that is refused refuses the others, and the error has its index.",
    body: list(EventIn, eventLimits.batch),
    returns: { 202: ["Stored", EventBatchOut] },
    errors: [400, 408, 503],
    run: (caller, { body }) => sendEvents(caller, body),
  })
  .get("/v1/people/:email/events", "listPersonEvents", "contacts:view", {
    summary: "List the events of a person, newest first",
    description: "Events that were sent, and those of the service while an automation is active.",
    query: PageQuery,
    returns: { 200: ["A page of events", z.array(PersonEventOut)] },
    run: async (caller, { email, query }, c) => {
      const { limit, before } = query;
      const found = await listPersonEvents(caller, email, { before, limit });
      return onePage(c, found, limit, ({ id }) => ({ before: id })).map(toPersonEvent);
    },
  });
