import { Hono } from "hono";
import type { AppEnv } from "../../../http/env.ts";
import { operationsOf, responses } from "../../../http/openapi.ts";
import { MeOut, toMe } from "./schema.ts";

const operation = operationsOf("Accounts");

export const meRoutes = new Hono<AppEnv>().get(
  "/v1/me",
  operation("any", {
    operationId: "getMe",
    summary: "Get the authenticated user, workspace and scopes",
    responses: responses(200, "The caller", MeOut),
  }),
  (c) => c.json(toMe(c.get("caller"))),
);
