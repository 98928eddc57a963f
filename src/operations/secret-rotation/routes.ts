import { type Context, Hono } from "hono";
import * as z from "zod";
import { verifyAccessToken } from "../../access/sessions/index.ts";
import type { AppEnv } from "../../http/env.ts";
import { readFields } from "../../http/fields.ts";
import { newestKey } from "../../lib/derive-key.ts";
import { unauthorized } from "../../lib/errors.ts";
import { readDeployedKeys } from "./deployed-keys.ts";
import { rotationReport } from "./report.ts";
import { rewrapStep } from "./rewrap.ts";

const CursorIn = z.object({ column: z.int().min(0), after: z.string().max(100) });

/** `npm run rotate-secrets` and `npm run deploy`. Their bearer token is signed with a master key of the deployment. */
export const secretRotationRoutes = new Hono<AppEnv>()
  .post("/auth/rotate-secrets", async (c) => {
    await requireOperator(c);
    const ctx = c.get("ctx");
    const { rewrapped, next } = await rewrapStep(ctx, await readFields(c, CursorIn));
    const version = newestKey(ctx.settings.masterKeys).version;
    return c.json({ version, rewrapped, next, report: next === null ? await rotationReport(ctx) : null });
  })
  .post("/auth/master-keys", async (c) => {
    await requireOperator(c);
    return c.json(await readDeployedKeys(c.get("ctx")));
  });

/** Throws 401 unless the request is signed with a master key for the purpose of a rotation. */
async function requireOperator(c: Context<AppEnv>): Promise<void> {
  const [, token = ""] = /^Bearer +(\S+)$/i.exec(c.req.header("Authorization") ?? "") ?? [];
  const claims = await verifyAccessToken(c.get("ctx"), "rotation", token);
  if (!claims) throw unauthorized("The request is not signed with a master key of this deployment");
}
