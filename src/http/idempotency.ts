import type { MiddlewareHandler } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { ConcurrencyError } from "../db/batch.ts";
import { AppError, unprocessable } from "../errors.ts";
import { findResponse, type Idempotency } from "../idempotency/index.ts";
import { toBase64, utf8 } from "../lib/bytes.ts";
import { keyedHashes } from "../lib/secret-box.ts";
import type { AppEnv } from "./env.ts";

/**
 * Honours Idempotency-Key on a route whose success answers `status` (decisions 1). The verb behind it keeps
 * its answer in the batch that does the deed; a call that loses the race replays the winner's answer.
 * A loser that came late enough to see the deed done ends in a conflict with it, which is why any 409 looks again.
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
    const { masterKeys } = caller.settings;
    const idempotency: Idempotency = {
      keys: await keyedHashes(masterKeys, "idempotency-key", given),
      fingerprint: await digest(`${c.req.method} ${c.req.path}\n${await c.req.text()}`),
      sealingKeys: () => keyedHashes(masterKeys, "idempotent-answer", given),
    };
    const replay = async () => {
      const answer = await findResponse(caller, idempotency);
      if (answer === null) return null;
      c.header("Idempotency-Replayed", "true");
      c.header("Content-Type", "application/json");
      return c.body(answer.body, (answer.status ?? status) as ContentfulStatusCode);
    };
    const known = await replay();
    if (known) return known;
    c.set("caller", { ...caller, idempotency });
    await next();
    if (!mayHaveLost(c.error)) return;
    const winner = await replay();
    if (!winner) return;
    c.error = undefined;
    c.res = undefined;
    c.res = winner;
  };
}

const mayHaveLost = (error: unknown) =>
  error instanceof ConcurrencyError || (error instanceof AppError && error.status === 409);

async function digest(text: string): Promise<string> {
  return toBase64(new Uint8Array(await crypto.subtle.digest("SHA-256", utf8(text))));
}
