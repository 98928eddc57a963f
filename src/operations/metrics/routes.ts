import { Hono } from "hono";
import { hasBearerSecret } from "../../http/bearer-secret.ts";
import type { AppEnv } from "../../http/env.ts";
import { notFound, unauthorized } from "../../lib/errors.ts";
import { readMetrics } from "./figures.ts";
import { readReadiness } from "./readiness.ts";

/** The token of the operator's monitoring, read without the other settings, of which one may be malformed. */
const tokenOf = (env: object) => (env as { METRICS_TOKEN?: string }).METRICS_TOKEN ?? "";

/**
 * GET /ready needs no credential and names conditions only; with METRICS_TOKEN it has details. GET /metrics takes METRICS_TOKEN,
 * and does not exist in a deployment without one.
 */
export const metricsRoutes = new Hono<AppEnv>()
  .get("/ready", async (c) => {
    const { details, ...state } = await readReadiness(c.get("ctx"));
    const isOperator = await hasBearerSecret(c, tokenOf(c.env));
    return c.json(isOperator ? { ...state, details } : state, state.status === "not_ready" ? 503 : 200);
  })
  .get("/metrics", async (c) => {
    const token = tokenOf(c.env);
    if (token === "") throw notFound("Path");
    if (!(await hasBearerSecret(c, token))) throw unauthorized("The request does not have the token of the metrics");
    return c.body(await readMetrics(c.get("ctx")), 200, { "Content-Type": "text/plain; version=0.0.4; charset=utf-8" });
  });
