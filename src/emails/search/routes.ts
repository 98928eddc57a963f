import { Hono } from "hono";
import type { AppEnv } from "../../http/env.ts";

export const searchRoutes = new Hono<AppEnv>();
