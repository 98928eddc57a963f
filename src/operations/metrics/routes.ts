import { newRoutes } from "../../http/env.ts";
import { needs } from "../../http/needs.ts";
import { hasMetricsToken } from "../../http/service-auth.ts";
import { readMetrics } from "./read-metrics.ts";
import { readReadiness } from "./readiness.ts";

/** GET /ready needs no credential and names conditions only; with METRICS_TOKEN it has details. GET /metrics needs METRICS_TOKEN. */
export const metricsRoutes = newRoutes()
  .get("/ready", needs("public"), async (c) => {
    const { details, ...state } = await readReadiness(c.get("ctx"));
    return c.json((await hasMetricsToken(c)) ? { ...state, details } : state, state.status === "not_ready" ? 503 : 200);
  })
  .get("/metrics", needs("metrics"), async (c) => {
    return c.body(await readMetrics(c.get("ctx")), 200, { "Content-Type": "text/plain; version=0.0.4; charset=utf-8" });
  });
