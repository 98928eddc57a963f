import type { Ctx } from "../../../platform/context.ts";
import { isOfStatement } from "../../../platform/db/repeat-call.ts";

/** Waits before each retry of a failed database write, in milliseconds. */
const RETRY_MS = [50, 200, 800, 3000];

/** Writes up to five times, since the emails are already sent. Throws the last error, and at once one that a repetition gives again. */
export async function writeWithRetries<Result>(ctx: Pick<Ctx, "log">, write: () => Promise<Result>): Promise<Result> {
  for (const wait of RETRY_MS) {
    try {
      return await write();
    } catch (error) {
      if (isOfStatement(error)) throw error;
      ctx.log("delivery.write.retried", { error: String(error) });
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
  return write();
}
