import * as z from "zod";
import { apiRoutes, outlives } from "../../http/api-routes.ts";
import { cursorQuery, respondList, setNextLink } from "../../http/pagination.ts";
import { budgetOf } from "../../platform/budgets/spent.ts";
import { countSegment } from "./count.ts";
import { createSegment } from "./create.ts";
import { ContactsAfter, cursorOf } from "./cursor.ts";
import { deleteSegment } from "./delete.ts";
import { listSegmentContacts } from "./list-contacts.ts";
import { getSegment, listSegments } from "./queries.ts";
import { limits } from "./rules.ts";
import { SegmentContactOut, SegmentCountOut, SegmentIn, SegmentOut, SegmentPatch, toSegment } from "./schema.ts";
import { updateSegment } from "./update.ts";

export const segmentRoutes = apiRoutes("Segments")
  .post("/v1/segments/", "createSegment", "contacts:manage", outlives.nothing, {
    summary: "Create a segment",
    description: `A workspace has at most ${budgetOf("segments").rows} segments. From the first one on, it keeps when people receive, open and click.`,
    body: SegmentIn,
    returns: { 201: ["The segment", SegmentOut] },
    run: (caller, { body }) => createSegment(caller, body),
  })
  .get("/v1/segments/", "listSegments", "contacts:view", {
    summary: "List segments, oldest first",
    query: z.object(cursorQuery),
    returns: { 200: ["A page of segments", z.array(SegmentOut)] },
    run: (_caller, { query }, c) =>
      respondList(c, query, { read: listSegments, after: ({ id }) => id, serialize: toSegment }),
  })
  .get("/v1/segments/:segment_id", "getSegment", "contacts:view", {
    summary: "Get a segment",
    returns: { 200: ["The segment", SegmentOut] },
    run: async (caller, { segment_id }) => toSegment(await getSegment(caller, segment_id)),
  })
  .patch("/v1/segments/:segment_id", "updateSegment", "contacts:manage", outlives.nothing, {
    summary: "Update a segment",
    description: "A field left out keeps its value. New conditions need a new count.",
    body: SegmentPatch,
    returns: { 200: ["The segment", SegmentOut] },
    run: (caller, { segment_id, body }) => updateSegment(caller, segment_id, body),
  })
  .delete("/v1/segments/:segment_id", "deleteSegment", "contacts:manage", outlives.nothing, {
    summary: "Delete a segment",
    description:
      "Its people stay. A segment that another one names cannot be deleted (409), nor one of a broadcast that waits or is being sent.",
    returns: { 204: "Deleted" },
    errors: [409],
    run: (caller, { segment_id }) => deleteSegment(caller, segment_id),
  })
  .get("/v1/segments/:segment_id/contacts", "listSegmentContacts", "contacts:view", {
    summary: "List the people of a segment",
    description: `One contact of each person, in the order of the addresses. A call evaluates ${limits.peoplePerCall.toLocaleString("en")} people at most: a page may be short, or empty, and the \`Link\` header continues it.`,
    query: z.object({ limit: cursorQuery.limit, after: ContactsAfter }),
    returns: { 200: ["A page of contacts", z.array(SegmentContactOut)] },
    run: async (caller, { segment_id, query }, c) => {
      const { contacts, next } = await listSegmentContacts(caller, segment_id, query);
      if (next !== null) setNextLink(c, { after: cursorOf(next) });
      return contacts;
    },
  })
  .get("/v1/segments/:segment_id/count", "countSegment", "contacts:view", {
    summary: "Count the people of a segment",
    description:
      "Starts a count, unless one runs or ended within the last minute, and returns its progress with the first people at once. Call again until `status` is `done`.",
    returns: { 200: ["The count, or its progress", SegmentCountOut] },
    run: (caller, { segment_id }) => countSegment(caller, segment_id),
  });
