import { setTimeout as sleep } from "node:timers/promises";
import { withTimeout } from "../../lib/deadline.ts";
import { ConnectError, type Connection } from "../../mail/smtp/transport.ts";
import type { Ctx } from "../../platform/context.ts";
import { egressOf } from "../delivery/index.ts";
import { hasResponded, PROBE_JITTER_MS, PROBE_MS, PROBE_TIMEOUTS } from "./rules.ts";
import { endWithoutWaiting, findLastResponse, recordFailure, recordResponse, startProbe } from "./state.ts";

/**
 * The mail databases whose waiting emails are retried. `everywhere`: the outage has ended, so those of all databases are retried.
 * `here`: the egress responds, so those of the databases that were looked at are. `nothing`: the egress is not known to respond.
 */
export type Recovery = "everywhere" | "here" | "nothing";

/**
 * Probes the egress when emails wait for it, unless another invocation has done so in this minute. Without waiting emails it
 * reads and writes nothing but the end of an outage whose emails are all gone: `endsOutages` is true for one caller a minute.
 * Takes half a minute at most, and six statements.
 */
export async function watchEgress(
  ctx: Ctx,
  { isWaiting, endsOutages }: { isWaiting: boolean; endsOutages: boolean },
): Promise<Recovery> {
  if (!isWaiting) {
    if (endsOutages) await endWithoutWaiting(ctx);
    return "nothing";
  }
  if (!(await startProbe(ctx))) return hasResponded(await findLastResponse(ctx), ctx.now()) ? "here" : "nothing";
  await sleep(Math.random() * PROBE_JITTER_MS);
  const startedAt = ctx.now();
  if (await probeEgress(ctx)) return (await recordResponse(ctx)) ? "everywhere" : "here";
  await recordFailure(ctx, startedAt);
  return "nothing";
}

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
