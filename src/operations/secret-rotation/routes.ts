import * as z from "zod";
import { newRoutes } from "../../http/env.ts";
import { readFields } from "../../http/fields.ts";
import { needs } from "../../http/needs.ts";
import { newestKey } from "../../lib/derive-key.ts";
import { readDeployedKeys } from "./deployed-keys.ts";
import { rotationReport } from "./report.ts";
import { rewrapStep } from "./rewrap.ts";

const CursorIn = z.object({ column: z.int().min(0), after: z.string().max(100) });

/** `npm run rotate-secrets` and `npm run deploy`. */
export const secretRotationRoutes = newRoutes()
  .post("/auth/rotate-secrets", needs("operator:rotation"), async (c) => {
    const ctx = c.get("ctx");
    const { rewrapped, next } = await rewrapStep(ctx, await readFields(c, CursorIn));
    const version = newestKey(ctx.settings.masterKeys).version;
    return c.json({ version, rewrapped, next, report: next === null ? await rotationReport(ctx) : null });
  })
  .post("/auth/master-keys", needs("operator:rotation"), async (c) => c.json(await readDeployedKeys(c.get("ctx"))));
