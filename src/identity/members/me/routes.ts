import { Hono } from "hono";
import { describeRoute } from "hono-openapi";
import type { AppEnv } from "../../../http/env.ts";
import { needs } from "../../../http/needs.ts";
import { responses } from "../../../http/openapi.ts";
import { MeOut, toMe } from "./schema.ts";

export const meRoutes = new Hono<AppEnv>().get(
  "/v1/me",
  needs("any"),
  describeRoute({
    operationId: "getMe",
    summary: "Get the authenticated user, workspace and scopes",
    tags: ["Accounts"],
    responses: responses(200, "The caller", MeOut),
  }),
  (c) => c.json(toMe(c.get("caller"))),
);
