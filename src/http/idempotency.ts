import type { MiddlewareHandler } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { LostRace } from "../db/batch.ts";
import { unprocessable } from "../errors.ts";
import { findAnswer, type Idempotency } from "../idempotency/index.ts";
import { toBase64, utf8 } from "../lib/bytes.ts";
import { keyedHashes } from "../lib/secret-box.ts";
import type { AppEnv } from "./env.ts";

/**
 * Honours Idempotency-Key on a route whose success answers `status` (decisions 1). The verb behind it keeps
 * its answer in the batch that does the deed; a call that loses the race replays the winner's answer.
 */
export function idempotent(status: ContentfulStatusCode): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const given = c.req.header("Idempotency-Key");
    if (given === undefined) return next();
    if (given.length < 1 || given.length > 255) {
      const msg = "An Idempotency-Key has 1 to 255 characters";
      throw unprocessable([{ loc: ["header", "Idempotency-Key"], msg, type: "value_error" }]);
    }
    const caller = c.get("caller");
    const idempotency: Idempotency = {
      keys: await keyedHashes(caller.settings.masterKeys, "idempotency-key", given),
      fingerprint: await digest(`${c.req.method} ${c.req.path}\n${await c.req.text()}`),
    };
    const replay = async () => {
      const answer = await findAnswer(caller, idempotency);
      if (answer === null) return null;
      c.header("Idempotency-Replayed", "true");
      c.header("Content-Type", "application/json");
      return c.body(answer, status);
    };
    const known = await replay();
    if (known) return known;
    c.set("caller", { ...caller, idempotency });
    await next();
    if (!(c.error instanceof LostRace)) return;
    const winner = await replay();
    if (!winner) return;
    c.error = undefined;
    c.res = undefined;
    c.res = winner;
  };
}

async function digest(text: string): Promise<string> {
  return toBase64(new Uint8Array(await crypto.subtle.digest("SHA-256", utf8(text))));
}
