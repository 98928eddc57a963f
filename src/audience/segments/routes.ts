import * as z from "zod";
import { newRoutes } from "../../http/env.ts";
import { idempotent } from "../../http/idempotency.ts";
import { noContent } from "../../http/no-content.ts";
import { operationsOf, responses } from "../../http/openapi.ts";
import { cursorQuery, respondList, setNextLink } from "../../http/pagination.ts";
import { body, query } from "../../http/validate.ts";
import { countSegment } from "./count.ts";
import { createSegment } from "./create.ts";
import { ContactsAfter, cursorOf } from "./cursor.ts";
import { deleteSegment } from "./delete.ts";
import { listSegmentContacts } from "./list-contacts.ts";
import { getSegment, listSegments } from "./queries.ts";
import { limits } from "./rules.ts";
import { SegmentContactOut, SegmentCountOut, SegmentIn, SegmentOut, SegmentPatch, toSegment } from "./schema.ts";
import { updateSegment } from "./update.ts";

const operation = operationsOf("Segments");

export const segmentRoutes = newRoutes()
  .post(
    "/v1/segments/",
    operation("contacts:manage", "createSegment", {
      summary: "Create a segment",
      description: `A workspace has at most ${limits.segmentsPerWorkspace} segments. From the first one on, it keeps when people receive, open and click.`,
      responses: responses(201, "The segment", SegmentOut, [403, 409, 413, 415]),
    }),
    ...body(SegmentIn),
    idempotent(201),
    async (c) => c.json(await createSegment(c.get("caller"), c.req.valid("json")), 201),
  )
  .get(
    "/v1/segments/",
    operation("contacts:view", "listSegments", {
      summary: "List segments, oldest first",
      responses: responses(200, "A page of segments", z.array(SegmentOut), [403]),
    }),
    query(z.object(cursorQuery)),
    (c) => respondList(c, { read: listSegments, after: ({ id }) => id, serialize: toSegment }),
  )
  .get(
    "/v1/segments/:segment_id",
    operation("contacts:view", "getSegment", {
      summary: "Get a segment",
      responses: responses(200, "The segment", SegmentOut, [403, 404]),
    }),
    async (c) => c.json(toSegment(await getSegment(c.get("caller"), c.req.param("segment_id")))),
  )
  .patch(
    "/v1/segments/:segment_id",
    operation("contacts:manage", "updateSegment", {
      summary: "Update a segment",
      description: "A field left out keeps its value. New conditions need a new count.",
      responses: responses(200, "The segment", SegmentOut, [403, 404, 413, 415]),
    }),
    ...body(SegmentPatch),
    async (c) => c.json(await updateSegment(c.get("caller"), c.req.param("segment_id"), c.req.valid("json"))),
  )
  .delete(
    "/v1/segments/:segment_id",
    operation("contacts:manage", "deleteSegment", {
      summary: "Delete a segment",
      description:
        "Its people stay. A segment that another one names cannot be deleted (409), nor one of a broadcast that waits or is being sent.",
      responses: responses(204, "Deleted", null, [403, 404, 409]),
    }),
    (c) => noContent(c, deleteSegment(c.get("caller"), c.req.param("segment_id"))),
  )
  .get(
    "/v1/segments/:segment_id/contacts",
    operation("contacts:view", "listSegmentContacts", {
      summary: "List the people of a segment",
      description: `One contact of each person, in the order of the addresses. A call evaluates ${limits.peoplePerCall.toLocaleString("en")} people at most: a page may be short, or empty, and the \`Link\` header continues it.`,
      responses: responses(200, "A page of contacts", z.array(SegmentContactOut), [403, 404]),
    }),
    query(z.object({ limit: cursorQuery.limit, after: ContactsAfter })),
    async (c) => {
      const { limit, after } = c.req.valid("query");
      const { contacts, next } = await listSegmentContacts(c.get("caller"), c.req.param("segment_id"), {
        limit,
        after,
      });
      if (next !== null) setNextLink(c, { after: cursorOf(next) });
      return c.json(contacts);
    },
  )
  .get(
    "/v1/segments/:segment_id/count",
    operation("contacts:view", "countSegment", {
      summary: "Count the people of a segment",
      description:
        "Starts a count, unless one runs or ended within the last minute, and returns its progress with the first people at once. Call again until `status` is `done`.",
      responses: responses(200, "The count, or its progress", SegmentCountOut, [403, 404]),
    }),
    async (c) => c.json(await countSegment(c.get("caller"), c.req.param("segment_id"))),
  );
