import { addressKey } from "../../lib/addresses.ts";
import type { Ctx } from "../../platform/context.ts";
import { domainOf, receiverDomainsStatement, receiverVolumeStatement } from "../receivers/index.ts";
import { findSoftBouncesStatement, type WorkspaceAddress } from "../suppressions/index.ts";
import type { KnownReport } from "./types.ts";

/**
 * Keeps in the main database what reports tell about receivers: their domains, and the emails that they have accepted from a
 * source address. Returns which addresses that accepted an email have had soft bounces, as `workspace
 * address`. One D1 batch. A report that is repeated counts again for the volume, which makes a warm-up slower and never faster.
 */
export async function noteReceivers(
  ctx: Ctx,
  reports: readonly KnownReport[],
  address: string,
): Promise<ReadonlySet<string>> {
  const accepted: WorkspaceAddress[] = [];
  const domains: { domain: string; receiver: string }[] = [];
  const volume = new Map<string, number>();
  for (const { outcome, state } of reports)
    for (const { address: recipient, result } of outcome.recipients) {
      const receiver = "receiver" in result ? result.receiver : undefined;
      if (receiver !== undefined) domains.push({ domain: domainOf(recipient), receiver });
      if (result.kind !== "accepted") continue;
      accepted.push({ workspace: state.workspace, email: addressKey(recipient) });
      if (receiver !== undefined) volume.set(receiver, (volume.get(receiver) ?? 0) + 1);
    }
  const statements = [
    ...(accepted.length > 0 ? [findSoftBouncesStatement(ctx, accepted)] : []),
    ...(domains.length > 0 ? [receiverDomainsStatement(ctx, domains)] : []),
    ...(volume.size > 0 ? [receiverVolumeStatement(ctx, address, volume)] : []),
  ];
  if (statements.length === 0) return new Set();
  const [found] = await ctx.db.batch(statements);
  const bounced = accepted.length > 0 ? ((found?.results ?? []) as WorkspaceAddress[]) : [];
  return new Set(bounced.map(({ workspace, email }) => `${workspace} ${email}`));
}
