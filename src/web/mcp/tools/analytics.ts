import * as z from "zod";
import { type DeclaredTool, limit } from "../tool.ts";

const period = z.enum(["24h", "7d", "30d", "90d"]).optional().describe("The time until now, 30d by default.");

export const analyticsTools: readonly DeclaredTool[] = [
  {
    name: "get_analytics",
    title: "Count the emails of a period",
    description: "Returns how many emails were sent, delivered, bounced, failed, opened and clicked in a period.",
    route: "GET /v1/analytics/overview",
    input: { period },
  },
  {
    name: "get_analytics_over_time",
    title: "Count the emails of a period by hour or day",
    description: "Returns the counts of each hour or day of a period, oldest first.",
    route: "GET /v1/analytics/timeseries",
    input: { period, granularity: z.enum(["hour", "day"]).optional() },
  },
  {
    name: "list_recipient_domains",
    title: "List recipient domains with their rates",
    description:
      "Returns the domains that most mail went to, with their bounce, complaint and deferral rates. Use it to learn which " +
      "receivers refuse mail.",
    route: "GET /v1/analytics/deliverability",
    input: { period, limit: limit(100) },
  },
];
