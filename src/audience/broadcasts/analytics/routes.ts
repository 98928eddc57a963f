import { apiRoutes } from "../../../http/api-routes.ts";
import { getBroadcastResults } from "../results.ts";
import { BroadcastAnalyticsOut, toBroadcastAnalytics } from "./compare-variants.ts";

export const broadcastAnalyticsRoutes = apiRoutes("Analytics").get(
  "/v1/analytics/broadcasts/:broadcast_id",
  "getBroadcastAnalytics",
  "analytics:view",
  {
    summary: "Compare the variants of a broadcast",
    description: "Clicks are those of people, not of scanners.",
    returns: { 200: ["The results by variant", BroadcastAnalyticsOut] },
    run: async (caller, { broadcast_id }) => toBroadcastAnalytics(await getBroadcastResults(caller, broadcast_id)),
  },
);
