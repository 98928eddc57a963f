import { notifyOwnersStatements } from "../../notices/notifications/index.ts";
import type { Ctx, MainStatement } from "../../platform/context.ts";
import { ID_SUFFIX_SQL, idPrefix } from "../../platform/db/random-id.ts";
import { KEPT_MS } from "../hosts/index.ts";
import { bumpPolicyIdStatement } from "../zones/index.ts";
import type { DomainRow } from "./queries.ts";
import { ancestors, reversedRange } from "./rules.ts";
import { statusEventStatements } from "./webhook-events.ts";

// Verified domains of other workspaces. `?1`: workspace; then the names at or above, or the range of those below.
const AT_OR_ABOVE = `
  SELECT 1 FROM domains WHERE status = 'verified' AND workspace <> ?1 AND reversed_name IN (SELECT value FROM json_each(?2))`;

const BELOW =
  "d.status = 'verified' AND NOT d.is_sandbox AND d.workspace <> ?1 AND d.reversed_name > ?2 AND d.reversed_name < ?3";

/** Returns whether another workspace has verified the name, or one above it. */
export async function isTaken({ db }: Ctx, { workspace, reversedName }: DomainRow): Promise<boolean> {
  const taken = db.prepare(AT_OR_ABOVE).bind(workspace, JSON.stringify(ancestors(reversedName)));
  return (await taken.first()) !== null;
}

const AUDIT_LOSERS = `
  INSERT INTO audit_log (id, workspace, action, target_kind, target_id, detail, created_at)
  SELECT ?4 || ${ID_SUFFIX_SQL}, d.workspace, 'domain.overtaken', 'domain', d.id, json_object('name', d.name, 'by', ?5), ?6
    FROM domains d WHERE ${BELOW}`;

const AUDIT_WINNER = `
  INSERT INTO audit_log (id, workspace, action, target_kind, target_id, detail, created_at)
  SELECT ?4 || ${ID_SUFFIX_SQL}, ?1, 'domain.overtaken', 'domain', ?5, json_object('name', d.name, 'by', ?6), ?7
    FROM domains d WHERE ${BELOW}`;

const NOTIFY_LOSERS = `
  INSERT INTO notifications (id, workspace, user_id, category, severity, title, body, href, created_at)
  SELECT ?4 || ${ID_SUFFIX_SQL}, m.workspace, m.user_id, 'alerts', 'error', d.name || ' can no longer send',
         'Another workspace has proved that it owns ' || ?5 || ', the domain above it.', '/domains/' || d.id, ?6
    FROM domains d JOIN memberships m ON m.workspace = d.workspace AND m.role = 'owner'
    LEFT JOIN notification_preferences p ON p.user_id = m.user_id
   WHERE ${BELOW} AND ifnull(p.preferences->>'$.alerts.web', 1)`;

// The run that sends them reads who wants them by this channel.
const NOTIFY_LOSERS_OUTSIDE = `
  INSERT INTO outbox (due_at, id, kind, ref)
  SELECT ?6, ?4 || ${ID_SUFFIX_SQL}, 'notify', json_object('channel', c.value, 'workspace', d.workspace,
         'event', 'overtaken ' || d.id || ' ' || ?6, 'category', 'alerts', 'severity', 'error', 'title', d.name || ' can no longer send',
         'body', 'Another workspace has proved that it owns ' || ?5 || ', the domain above it.', 'href', '/domains/' || d.id)
    FROM domains d CROSS JOIN json_each('["email","slack"]') c WHERE ${BELOW}`;

// The MX records of a domain that is not verified are not checked, so its MTA-STS policy must hold no mail back.
const END_POLICIES = `
  UPDATE custom_hosts SET policy_kept_until = iif(policy_mode = 'enforce', ?4 + ?5, policy_kept_until), policy_mode = 'none', policy_since = ?4,
    policy_due_at = NULL WHERE policy_mode IN ('testing', 'enforce') AND domain_id IN (SELECT d.id FROM domains d WHERE ${BELOW})`;

const FAIL_LOSERS = `UPDATE domains AS d SET status = 'failed', next_check_at = NULL WHERE ${BELOW}`;

/**
 * Returns the statements by which a domain that has proved its ownership record takes precedence over verified domains of other
 * workspaces below it: their claims become `failed`, both sides are notified, and it is audited
 * (docs/contract/domains.md#verification). For the batch that verifies the domain, before its guards.
 */
export function overtakeStatements(ctx: Ctx, { id, workspace, name, reversedName }: DomainRow): MainStatement[] {
  const { db } = ctx;
  const now = ctx.now();
  const below = [workspace, ...reversedRange(reversedName)];
  return [
    db.prepare(AUDIT_LOSERS).bind(...below, idPrefix(ctx), name, now),
    db.prepare(AUDIT_WINNER).bind(...below, idPrefix(ctx), id, name, now),
    db.prepare(NOTIFY_LOSERS).bind(...below, idPrefix(ctx), name, now),
    db.prepare(NOTIFY_LOSERS_OUTSIDE).bind(...below, idPrefix(ctx), name, now),
    ...notifyOwnersStatements(ctx, workspace, {
      category: "alerts",
      severity: "warning",
      title: `Another workspace has used names below ${name}`,
      body: `They can no longer send, because ${name} is verified in this workspace.`,
      href: `/domains/${id}`,
    }),
    ...statusEventStatements(ctx, "failed", `Another workspace has verified ${name}`, [BELOW, ...below]),
    db.prepare(END_POLICIES).bind(...below, now, KEPT_MS),
    bumpPolicyIdStatement(ctx, null),
    db.prepare(FAIL_LOSERS).bind(...below),
  ];
}
