import type { CallerCtx, ListRange } from "../../../access/caller.ts";
import { conflict, notFound } from "../../../lib/errors.ts";
import { auditIfChangedStatement } from "../../../platform/audit/record.ts";

/** A host to which tracking links do not redirect. */
export interface BlockedHostRow {
  host: string;
  created_at: number;
}

const LIST = "SELECT host, created_at FROM blocked_hosts WHERE host > ?1 ORDER BY host LIMIT ?2";

/** Returns the hosts to which tracking links do not redirect, in alphabetical order, after a host. */
export const listBlockedHosts = ({ db }: CallerCtx, { after = "", limit }: ListRange): Promise<BlockedHostRow[]> =>
  db.listRows(LIST, after, limit);

/** Blocks a host and its sub-domains: within a minute tracking links to them return 410. Safe to repeat. */
export async function blockHost(ctx: CallerCtx, host: string): Promise<BlockedHostRow> {
  const insert = ctx.db.prepare("INSERT OR IGNORE INTO blocked_hosts (host, created_at) VALUES (?1, ?2)");
  await ctx.db.batch([
    insert.bind(host, ctx.now()),
    auditIfChangedStatement({ ...ctx, workspace: null }, { action: "host.blocked", target: host }),
  ]);
  const row = await ctx.db.findRow<BlockedHostRow>("SELECT host, created_at FROM blocked_hosts WHERE host = ?1", host);
  if (!row) throw conflict("Another request unblocked the host at the same time");
  return row;
}

/** Ends the block of a host. Throws 404. */
export async function unblockHost(ctx: CallerCtx, host: string): Promise<void> {
  const remove = ctx.db.prepare("DELETE FROM blocked_hosts WHERE host = ?1");
  const audit = auditIfChangedStatement({ ...ctx, workspace: null }, { action: "host.unblocked", target: host });
  const [removed] = await ctx.db.batch([remove.bind(host), audit]);
  if (removed?.meta.changes === 0) throw notFound("Blocked host");
}
