import { findBroadcastsInFlight } from "../../audience/broadcasts/index.ts";
import { ancestors, reversedRange } from "../../domains/domains/index.ts";
import type { Blocker } from "../../lib/errors.ts";
import type { Ctx } from "../../platform/context.ts";
import { onShardOf } from "../../platform/jobs/shards.ts";
import { findScheduledEmails } from "../../sending/emails/index.ts";
import { transferError } from "./errors.ts";
import { MAX_BLOCKERS } from "./rules.ts";

/** A domain of a workspace, by its id, with its reversed name. */
export interface OwnedDomain {
  domainId: string;
  workspace: number;
  reversedName: string;
}

/** A domain that moves with a transfer. */
export interface MovedDomain {
  id: string;
  name: string;
}

/** SQL of the domains that move. `?1`: source, `?2` and `?3`: range of reversed names. A test domain of the service stays. */
export const IS_MOVED = "workspace = ?1 AND reversed_name >= ?2 AND reversed_name < ?3 AND NOT is_sandbox";

const FIND_MOVED = `
  SELECT id, name, status FROM domains WHERE ${IS_MOVED} ORDER BY reversed_name`;

const FIND_PARENTS = `
  SELECT id, name FROM domains WHERE workspace = ?1 AND status = 'verified'
     AND reversed_name IN (SELECT value FROM json_each(?2)) AND id <> ?3`;

/** Returns a domain and its sub-domains, which move with it. */
export async function findMoved(
  ctx: Ctx,
  { workspace, reversedName }: Pick<OwnedDomain, "workspace" | "reversedName">,
): Promise<MovedDomain[]> {
  const results = await ctx.db.listRows<MovedDomain>(FIND_MOVED, workspace, ...reversedRange(reversedName));
  return results.map(({ id, name }) => ({ id, name }));
}

/**
 * Returns the domain and its sub-domains, which move with it. Throws 409 when it is not a verified domain of the workspace,
 * and when a domain above it would stay: verified names of two workspaces are never above each other.
 */
export async function requireMovable(
  ctx: Ctx,
  { domainId, workspace, reversedName }: OwnedDomain,
): Promise<MovedDomain[]> {
  const [moved, parents] = await ctx.db.batch<MovedDomain & { status: string }>([
    ctx.db.prepare(FIND_MOVED).bind(workspace, ...reversedRange(reversedName)),
    ctx.db.prepare(FIND_PARENTS).bind(workspace, JSON.stringify(ancestors(reversedName)), domainId),
  ]);
  const domains = moved?.results ?? [];
  if (domains.find(({ id }) => id === domainId)?.status !== "verified") throw transferError("domain_not_verified");
  const blockers = (parents?.results ?? []).map(({ id, name }): Blocker => ({ kind: "domain", id, label: name }));
  if (blockers.length > 0) throw transferError("parent_domain", { blockers });
  return domains.map(({ id, name }) => ({ id, name }));
}

/** Throws 409 when the source workspace has scheduled emails, or scheduled or sending broadcasts, from these domains. */
export async function requireNothingScheduled(
  ctx: Ctx,
  workspace: number,
  domains: readonly MovedDomain[],
): Promise<void> {
  const ids = domains.map(({ id }) => id);
  const names = domains.map(({ name }) => name);
  const mailCtx = await onShardOf(ctx, workspace);
  if (!mailCtx) return;
  const [broadcasts, emails] = await Promise.all([
    findBroadcastsInFlight(mailCtx, workspace, names, MAX_BLOCKERS),
    findScheduledEmails(mailCtx, workspace, ids, MAX_BLOCKERS),
  ]);
  const blockers: Blocker[] = [
    ...broadcasts.map(({ id, name, isBulkSend }) => ({
      kind: isBulkSend ? "bulk_send" : "broadcast",
      id,
      label: name,
    })),
    ...emails.map(({ id, subject }) => ({ kind: "scheduled_email", id, label: subject })),
  ];
  if (broadcasts.length > 0) throw transferError("broadcasts_in_flight", { blockers });
  if (emails.length > 0) throw transferError("scheduled_emails", { blockers });
}
