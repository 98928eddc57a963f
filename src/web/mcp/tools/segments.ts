import type { ToolsByName } from "../tool.ts";

export const segmentTools: ToolsByName = {
  list_segments: {
    title: "List segments",
    description: "Returns saved conditions over the people of all contact lists, with their last counts, oldest first.",
    route: "GET /v1/segments/",
  },
  get_segment: {
    title: "Read a segment",
    description: "Returns a segment with its conditions and its last count.",
    route: "GET /v1/segments/:segment_id",
  },
  create_segment: {
    title: "Create a segment",
    description: "Saves conditions. A broadcast can be sent to its people, and an automation can ask for it.",
    route: "POST /v1/segments/",
    effect: "write",
  },
  update_segment: {
    title: "Change a segment",
    description: "Changes the given fields. Automations and broadcasts that use the segment use the new conditions.",
    route: "PATCH /v1/segments/:segment_id",
    effect: "write",
  },
  preview_segment: {
    title: "Count the people of a segment",
    description:
      "Starts a count, or shows how far it is, with some of the people at once. Call it again until status is done.",
    route: "GET /v1/segments/:segment_id/count",
  },
  list_segment_contacts: {
    title: "List the people of a segment",
    description: "Returns one contact of each person. A page may be short or empty and have a next one.",
    route: "GET /v1/segments/:segment_id/contacts",
  },
};
