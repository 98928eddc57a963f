import { automationCases } from "./automation-cases.ts";
import { formCases } from "./form-cases.ts";
import type { RouteCase } from "./route-case.ts";
import { segmentCases } from "./segment-cases.ts";
import { topicCases } from "./topic-cases.ts";

/** The routes of people: segments, topics, forms and automations. */
export const audienceCases: Record<string, RouteCase> = {
  ...automationCases,
  ...segmentCases,
  ...topicCases,
  ...formCases,
};
