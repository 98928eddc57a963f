import type { ToolsByName } from "../tool.ts";

export const analyticsTools: ToolsByName = {
  get_analytics: {
    title: "Count the emails of a period",
    description: "Returns how many emails were sent, delivered, bounced, failed, opened and clicked in a period.",
    route: "GET /v1/analytics/overview",
  },
  get_analytics_over_time: {
    title: "Count the emails of a period by hour or day",
    description: "Returns the counts of each hour or day of a period, oldest first.",
    route: "GET /v1/analytics/timeseries",
  },
  list_recipient_domains: {
    title: "List recipient domains with their rates",
    description:
      "Returns the domains that most mail went to, with their bounce, complaint and deferral rates. Use it to learn which " +
      "receivers refuse mail.",
    route: "GET /v1/analytics/deliverability",
  },
};
