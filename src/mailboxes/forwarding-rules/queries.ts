import type { CallerCtx } from "../../access/caller.ts";
import { mayOpenSql } from "../../access/mailbox-sessions/rights.ts";
import { requireFound } from "../../lib/errors.ts";
import { parseUuid } from "../../lib/ids.ts";
import { MOST_COUNTED } from "../../platform/budgets/budget.ts";
import type { Ctx } from "../../platform/context.ts";
import { mailboxAddressesSql } from "../../platform/db/mailbox-addresses.ts";
import type { FilterForward } from "../mailbox-store/index.ts";
import type { RuleRow } from "./schema.ts";

/** Returns SQL of whether an address is that of an active mailbox of a workspace, or an alias of one, on a domain that it has verified. */
export const isInsideSql = (workspace: string, address: string) => `
  EXISTS (SELECT 1 FROM (${mailboxAddressesSql(workspace, `(${address})`)}) a
    JOIN mailboxes m ON m.id = a.mailbox_id AND m.is_active = 1
    JOIN domains d ON d.id = a.domain_id AND d.workspace = m.workspace AND d.status = 'verified' AND NOT d.is_sandbox)`;

/** Returns SQL of whether a workspace may forward to an address: it has confirmed, or is that of a mailbox inside. */
const mayForwardSql = (workspace: string, address: string) => `(
  EXISTS (SELECT 1 FROM forward_targets t WHERE t.workspace = ${workspace} AND t.address = ${address} AND t.confirmed_at IS NOT NULL)
  OR ${isInsideSql(workspace, address)})`;

/** SQL of whether rule `r` may forward to its target: a mailbox of its workspace, a URL, or an address inside or that has confirmed. */
export const IS_CONFIRMED_SQL = `(r.action <> 'address' OR ${mayForwardSql("r.workspace", "r.target_key")})`;

const KEY_IS_VALID = `EXISTS (
  WITH RECURSIVE chain (id) AS (
    SELECT j.value->>'$.maker.apiKeyId' UNION SELECT k.replaced_by_id FROM chain c JOIN api_keys k ON k.id = c.id)
  SELECT 1 FROM chain c JOIN api_keys k ON k.id = c.id
   WHERE k.workspace = ?1 AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > ?4))`;

const FIND_PERMITTED = `
  SELECT j.key AS at FROM json_each(?3) j
   WHERE ${mayForwardSql("?1", "j.value->>'$.key'")}
     AND (j.value->>'$.maker.userId' IS NULL OR EXISTS (
       SELECT 1 FROM memberships m
        WHERE m.workspace = ?1 AND m.user_id = j.value->>'$.maker.userId' AND ${mayOpenSql("?2")}))
     AND (j.value->>'$.maker.apiKeyId' IS NULL OR ${KEY_IS_VALID})`;

/**
 * Returns the forwards of filters that may leave: those that were made in this workspace, to an address inside or one that has confirmed, by
 * a person who may open the mailbox, and whose API key is valid if they made it by one. No D1 call when there are none.
 */
export async function permittedForwards<One extends FilterForward>(
  ctx: Ctx,
  { id, workspace }: { id: string; workspace: number },
  forwards: readonly One[],
): Promise<One[]> {
  const own = forwards.filter((forward) => forward.workspace === workspace);
  if (own.length === 0) return [];
  const values = [workspace, id, JSON.stringify(own), ctx.now()];
  const results = await ctx.db.listRows<{ at: number }>(FIND_PERMITTED, ...values);
  const permitted = new Set(results.map(({ at }) => at));
  return own.filter((_, index) => permitted.has(index));
}

const SELECT = `
  SELECT r.id, r.domain_id, r.mailbox_id, r.match, r.action, r.target, r.target_key, r.is_active, r.position, r.created_at,
         r.updated_at, r.user_id, (SELECT email FROM users WHERE id = r.user_id) AS maker, ${IS_CONFIRMED_SQL} AS is_confirmed
    FROM forwarding_rules r
   WHERE r.workspace = ?1 AND (?2 IS NULL OR r.domain_id IN (SELECT value FROM json_each(?2)))`;

const domainsOf = ({ actor: { domainIds } }: CallerCtx) => domainIds && JSON.stringify([...domainIds]);

/** Returns the forwarding rules that the caller may see, in the order in which they are applied. */
export async function listRules(ctx: CallerCtx): Promise<RuleRow[]> {
  const values = [ctx.workspace.number, domainsOf(ctx)];
  return ctx.db.listRows<RuleRow>(`${SELECT} ORDER BY r.position, r.id LIMIT ${MOST_COUNTED}`, ...values);
}

/** Returns one forwarding rule. Throws 404 for an id that is malformed, unknown, of another workspace or domain. */
export async function getRule(ctx: CallerCtx, id: string): Promise<RuleRow> {
  const values = [ctx.workspace.number, domainsOf(ctx), requireFound(parseUuid(id), "Forwarding rule")];
  return requireFound(await ctx.db.findRow<RuleRow>(`${SELECT} AND r.id = ?3`, ...values), "Forwarding rule");
}
