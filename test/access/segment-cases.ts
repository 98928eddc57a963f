import type { TestWorkspace } from "../support/workspace.ts";
import type { RouteCase } from "./route-case.ts";

const conditions = { field: "plan", is: "equals", value: "gold" };

const createSegment = async (workspace: TestWorkspace) => {
  return { segment_id: (await workspace.create("/v1/segments/", { name: "A segment", conditions })).id };
};

const inConditions = {
  conditions: { of: "list", body: (_: unknown, list: string) => ({ name: "A segment", conditions: { list } }) },
} as const;

/** The routes of segments. */
export const segmentCases: Record<string, RouteCase> = {
  "POST /v1/segments/": { success: 201, body: () => ({ name: "A segment", conditions }), places: inConditions },
  "GET /v1/segments/": { success: 200 },
  "GET /v1/segments/:segment_id": { success: 200, create: createSegment },
  "PATCH /v1/segments/:segment_id": {
    ...{ success: 200, create: createSegment, body: () => ({ name: "New name" }) },
    places: inConditions,
  },
  "DELETE /v1/segments/:segment_id": { success: 204, create: createSegment },
  "GET /v1/segments/:segment_id/contacts": { success: 200, create: createSegment },
  "GET /v1/segments/:segment_id/count": { success: 200, create: createSegment },
};
