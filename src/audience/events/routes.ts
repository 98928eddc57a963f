import * as z from "zod";
import { newRoutes } from "../../http/env.ts";
import { idempotent } from "../../http/idempotency.ts";
import { operationsOf, responses } from "../../http/openapi.ts";
import { onePage, pageQuery } from "../../http/pagination.ts";
import { body, list, query } from "../../http/validate.ts";
import { eventLimits } from "../../platform/person-events/rules.ts";
import { listPersonEvents } from "./queries.ts";
import { EventBatchOut, EventIn, EventSentOut, PersonEventOut, toPersonEvent } from "./schema.ts";
import { sendEvent, sendEvents } from "./send.ts";

const operation = operationsOf("Events");

const PageQuery = z.object({
  limit: pageQuery({ default: 100, max: 200 }).limit,
  before: z.uuid().toLowerCase().optional().describe("Only events recorded before the one with this id."),
});

export const eventRoutes = newRoutes()
  .post(
    "/v1/events",
    operation("events:send", "sendEvent", {
      summary: "Send an event of a person",
      description: "Automations of the workspace begin with events, and wait for them. An event is kept for 90 days.",
      responses: responses(202, "Stored", EventSentOut, [403, 404, 408, 409, 413, 415, 503]),
    }),
    ...body(EventIn),
    idempotent(202),
    async (c) => c.json(await sendEvent(c.get("caller"), c.req.valid("json")), 202),
  )
  .post(
    "/v1/events/batch",
    operation("events:send", "sendEventBatch", {
      summary: `Send up to ${eventLimits.batch} events`,
      description:
        "All events are stored, or none: one that is refused refuses the others, and the error has its index.",
      responses: responses(202, "Stored", EventBatchOut, [400, 403, 408, 409, 413, 415, 503]),
    }),
    ...list(EventIn, eventLimits.batch),
    idempotent(202),
    async (c) => c.json(await sendEvents(c.get("caller"), c.req.valid("json")), 202),
  )
  .get(
    "/v1/people/:email/events",
    operation("contacts:view", "listPersonEvents", {
      summary: "List the events of a person, newest first",
      description: "Events that were sent, and those of the service while an automation is active.",
      responses: responses(200, "A page of events", z.array(PersonEventOut), [403, 404]),
    }),
    query(PageQuery),
    async (c) => {
      const { limit, before } = c.req.valid("query");
      const found = await listPersonEvents(c.get("caller"), c.req.param("email"), { before, limit });
      return c.json(onePage(c, found, limit, ({ id }) => ({ before: id })).map(toPersonEvent));
    },
  );
