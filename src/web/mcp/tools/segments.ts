import * as z from "zod";
import { type DeclaredTool, idempotencyKey, pageAfter } from "../tool.ts";

const conditions = z
  .record(z.string(), z.unknown())
  .describe(
    "One of {field, is, value}, {list}, {topic, subscribed}, {added_within_days}, {activity, within_days or broadcast_id}, {segment}, or " +
      "all, any and not of others. The rules: the page Segments of /docs.",
  );

export const segmentTools: readonly DeclaredTool[] = [
  {
    name: "list_segments",
    title: "List segments",
    description: "Returns saved conditions over the people of all contact lists, with their last counts, oldest first.",
    route: "GET /v1/segments/",
    input: pageAfter(200),
  },
  {
    name: "get_segment",
    title: "Read a segment",
    description: "Returns a segment with its conditions and its last count.",
    route: "GET /v1/segments/:segment_id",
  },
  {
    name: "create_segment",
    title: "Create a segment",
    description: "Saves conditions. A broadcast can be sent to its people, and an automation can ask for it.",
    route: "POST /v1/segments/",
    effect: "write",
    input: { name: z.string(), conditions, idempotency_key: idempotencyKey },
  },
  {
    name: "update_segment",
    title: "Change a segment",
    description: "Changes the given fields. Automations and broadcasts that use the segment use the new conditions.",
    route: "PATCH /v1/segments/:segment_id",
    effect: "write",
    input: { name: z.string().optional(), conditions: conditions.optional() },
  },
  {
    name: "preview_segment",
    title: "Count the people of a segment",
    description:
      "Starts a count, or shows how far it is, with some of the people at once. Call it again until status is done.",
    route: "GET /v1/segments/:segment_id/count",
  },
  {
    name: "list_segment_contacts",
    title: "List the people of a segment",
    description: "Returns one contact of each person. A page may be short or empty and have a next one.",
    route: "GET /v1/segments/:segment_id/contacts",
    input: { ...pageAfter(200) },
  },
];
