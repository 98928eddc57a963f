import { Hono } from "hono";
import type { AppEnv } from "../http/env.ts";
import { egressOf } from "./egress.ts";

/** GET /ready, for monitoring: needs no credential, reads only the settings, and names the condition without details. */
export const readyRoutes = new Hono<AppEnv>();

readyRoutes.get("/ready", (c) => {
  const egress = egressOf(c.get("ctx").settings);
  if (!("fault" in egress)) return c.json({ status: "ready", egress: "configured" });
  return c.json({ status: "not_ready", egress: egress.fault }, 503);
});
