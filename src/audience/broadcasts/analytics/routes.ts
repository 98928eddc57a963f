import { newRoutes } from "../../../http/env.ts";
import { operationsOf, responses } from "../../../http/openapi.ts";
import { getBroadcastResults } from "../results.ts";
import { BroadcastAnalyticsOut, toBroadcastAnalytics } from "./compare-variants.ts";

const operation = operationsOf("Analytics");

export const broadcastAnalyticsRoutes = newRoutes().get(
  "/v1/analytics/broadcasts/:broadcast_id",
  operation("analytics:view", "getBroadcastAnalytics", {
    summary: "Compare the variants of a broadcast",
    description: "Clicks are those of people, not of scanners.",
    responses: responses(200, "The results by variant", BroadcastAnalyticsOut, [403, 404]),
  }),
  async (c) => c.json(toBroadcastAnalytics(await getBroadcastResults(c.get("caller"), c.req.param("broadcast_id")))),
);
