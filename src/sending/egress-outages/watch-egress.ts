import { setTimeout as sleep } from "node:timers/promises";
import type { Ctx } from "../../platform/context.ts";
import { probeEgress } from "./probe-egress.ts";
import { hasResponded, PROBE_JITTER_MS } from "./rules.ts";
import { endWithoutWaiting, findLastResponse, recordFailure, recordResponse, startProbe } from "./state.ts";

/**
 * The mail databases whose waiting emails are retried. `everywhere`: the outage has ended, so those of all databases are retried.
 * `here`: the egress responds, so those of the databases that were looked at are. `nothing`: the egress is not known to respond.
 */
export type Recovery = "everywhere" | "here" | "nothing";

/**
 * Probes the egress when emails wait for it, unless another invocation has done so in this minute. Without waiting emails it
 * reads and writes nothing but the end of an outage whose emails are all gone: `endsOutages` is true for one caller a minute.
 * Takes half a minute at most, and six statements. `random` (0 to 1) delays the probe.
 */
export async function watchEgress(
  ctx: Ctx,
  { isWaiting, endsOutages }: { isWaiting: boolean; endsOutages: boolean },
  random: () => number = Math.random,
): Promise<Recovery> {
  if (!isWaiting) {
    if (endsOutages) await endWithoutWaiting(ctx);
    return "nothing";
  }
  if (!(await startProbe(ctx))) return hasResponded(await findLastResponse(ctx), ctx.now()) ? "here" : "nothing";
  await sleep(random() * PROBE_JITTER_MS);
  const startedAt = ctx.now();
  if (await probeEgress(ctx)) return (await recordResponse(ctx)) ? "everywhere" : "here";
  await recordFailure(ctx, startedAt);
  return "nothing";
}
