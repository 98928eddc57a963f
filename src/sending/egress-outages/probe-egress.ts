import { withTimeout } from "../../lib/deadline.ts";
import { ConnectError, type Connection } from "../../mail/smtp/transport.ts";
import type { Ctx } from "../../platform/context.ts";
import { egressOf } from "../delivery/index.ts";
import { PROBE_MS, PROBE_TIMEOUTS } from "./rules.ts";

/**
 * Opens a session with the egress up to and including AUTH, and ends it by QUIT. Returns whether that worked; false without a
 * usable setting. Takes PROBE_MS at most and never throws for what the server does.
 */
export async function probeEgress(ctx: Ctx): Promise<boolean> {
  const egress = egressOf(ctx.settings, PROBE_TIMEOUTS);
  if ("issue" in egress) return false;
  const opening = egress.transport.open();
  try {
    const connection = await withTimeout(PROBE_MS, opening);
    await connection.close();
    return true;
  } catch (error) {
    void opening.then(close, () => {});
    const phase = error instanceof ConnectError ? error.phase : "probe";
    ctx.log("egress.probe.failed", { phase, reason: error instanceof Error ? error.message : "unknown" });
    return false;
  }
}

/** Closes a session that was opened after the time of the probe was over. */
const close = (connection: Connection) => connection.close();
