import type { CallerCtx } from "../../access/caller.ts";
import { notFound } from "../../lib/errors.ts";
import { parseUuid } from "../../lib/ids.ts";
import { mailboxAddressesSql } from "../../platform/db/mailbox-addresses.ts";
import { limits } from "./rules.ts";
import type { RuleRow } from "./schema.ts";

/**
 * Returns SQL of whether an address is that of a mailbox of a workspace, or an alias: active, on a domain that no other workspace can have
 * verified.
 */
export const isInsideSql = (workspace: string, address: string) => `
  EXISTS (SELECT 1 FROM (${mailboxAddressesSql(workspace, `(${address})`)}) a
    JOIN mailboxes m ON m.id = a.mailbox_id AND m.is_active = 1
    JOIN domains d ON d.id = a.domain_id AND d.workspace = m.workspace AND d.status = 'verified')`;

/** Returns SQL of whether a workspace may forward to an address: it has confirmed, or is that of a mailbox inside. */
export const mayForwardSql = (workspace: string, address: string) => `(
  EXISTS (SELECT 1 FROM forward_targets t WHERE t.workspace = ${workspace} AND t.address = ${address} AND t.confirmed_at IS NOT NULL)
  OR ${isInsideSql(workspace, address)})`;

/**
 * SQL of whether rule `r` may forward to its target: a mailbox of its workspace, a URL, or an address that is such a mailbox or
 * has confirmed.
 */
export const IS_CONFIRMED_SQL = `(r.action <> 'address' OR ${mayForwardSql("r.workspace", "r.target_key")})`;

const SELECT = `
  SELECT r.id, r.domain_id, r.mailbox_id, r.match, r.action, r.target, r.target_key, r.is_active, r.position, r.created_at,
         r.updated_at, ${IS_CONFIRMED_SQL} AS is_confirmed
    FROM forwarding_rules r
   WHERE r.workspace = ?1 AND (?2 IS NULL OR r.domain_id IN (SELECT value FROM json_each(?2)))`;

const domainsOf = ({ actor: { domainIds } }: CallerCtx) => domainIds && JSON.stringify([...domainIds]);

/** Returns the forwarding rules that the caller may see, in the order in which they are applied. */
export async function listRules(ctx: CallerCtx): Promise<RuleRow[]> {
  const { results } = await ctx.db
    .prepare(`${SELECT} ORDER BY r.position, r.id LIMIT ${limits.rules}`)
    .bind(ctx.workspace.number, domainsOf(ctx))
    .all<RuleRow>();
  return results;
}

/** Returns one forwarding rule. Throws 404 for an id that is malformed, unknown, of another workspace or domain. */
export async function getRule(ctx: CallerCtx, id: string): Promise<RuleRow> {
  const uuid = parseUuid(id);
  const row =
    uuid &&
    (await ctx.db.prepare(`${SELECT} AND r.id = ?3`).bind(ctx.workspace.number, domainsOf(ctx), uuid).first<RuleRow>());
  if (!row) throw notFound("Forwarding rule");
  return row;
}
