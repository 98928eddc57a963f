import { uuidv7 } from "../lib/ids.ts";
import type { Ctx } from "./context.ts";
import { asDatabase } from "./db/count-rows.ts";
import { levelOf } from "./settings/log-levels.ts";
import { readSettings } from "./settings/settings.ts";

/** Bytes of emails in the log of one invocation: the platform cuts the log off after 256 KB. */
const LOG_BYTES = 160_000;

/** Creates the context of one invocation of the Worker. `now` returns milliseconds since 1970. */
export function createContext(env: Env, requestId: string, now: () => number = Date.now): Ctx {
  const log: Ctx["log"] = (event, fields = {}) =>
    console.log(JSON.stringify({ level: levelOf(event), event, request_id: requestId, ...fields }));
  return {
    env,
    get settings() {
      return readSettings(env);
    },
    // A deployment without it responds to /health and /ready all the same.
    db: env.DB && asDatabase(env.DB),
    requestId,
    now,
    newId: () => uuidv7(now()),
    log,
    logBudget: { bytes: LOG_BYTES },
  };
}
