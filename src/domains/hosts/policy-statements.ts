import { type Notice, notifyOwnersStatements } from "../../notices/notifications/index.ts";
import { auditIfChangedStatement } from "../../platform/audit/record.ts";
import type { Ctx, MainStatement } from "../../platform/context.ts";
import type { customHosts } from "../../platform/db/schema/main/index.ts";
import type { Settings } from "../../platform/settings/settings.ts";
import { bumpPolicyIdStatement } from "../zones/index.ts";
import { mtaStsId } from "./mta-sts.ts";
import { keptUntil, nextPolicy, type PolicyEvent, type PolicyMode, type PolicyState, TEST_MS } from "./policy-rules.ts";

/** A host of a domain, as it was read. */
export type HostRow = typeof customHosts.$inferSelect;
type PolicyHost = Pick<HostRow, "name" | "policyMode" | "policyIsHeld" | "policyKeptUntil">;

/** The domain of a policy. */
export interface PolicyDomain {
  id: string;
  name: string;
  workspace: number;
}

/** Returns the host of the policy of a domain, with its state; null when there is none. Pure. */
export function policyOf<Host extends PolicyHost>(hosts: readonly Host[]): { host: Host; state: PolicyState } | null {
  const host = hosts.find(({ policyMode }) => policyMode !== null);
  const mode = host?.policyMode ?? null;
  return host && mode !== null ? { host, state: { mode, isHeld: host.policyIsHeld === 1 } } : null;
}

// Matches what was read, so that of two changes at once one is made.
const SET = `
  UPDATE custom_hosts SET policy_mode = ?5, policy_is_held = ?6, policy_since = iif(policy_mode = ?5, policy_since, ?7),
    policy_kept_until = ?8, policy_due_at = ?9, policy_blocker = NULL
   WHERE name = ?1 AND domain_id = ?2 AND policy_mode = ?3 AND policy_is_held = ?4`;

/** Returns the statement that changes the policy of a host from the state that was read to the next. */
export function setPolicyStatement(
  { db, now }: Pick<Ctx, "db" | "now">,
  domain: PolicyDomain,
  { host, from, to }: { host: PolicyHost; from: PolicyState; to: PolicyState },
): MainStatement {
  const kept = from.mode === to.mode ? host.policyKeptUntil : keptUntil(from.mode, host.policyKeptUntil, now());
  const dueAt = to.mode === "testing" && !to.isHeld ? now() + TEST_MS : null;
  return db
    .prepare(SET)
    .bind(
      ...[host.name, domain.id, from.mode, Number(from.isHeld)],
      ...[to.mode, Number(to.isHeld), now(), kept, dueAt],
    );
}

/** Returns the event that a DNS check is for the policy of a domain; null: none. `isVerified`: after the check. Pure. */
export const policyEventOf = (mx: string | undefined, isVerified: boolean): PolicyEvent | null => {
  if (!isVerified || mx === "missing" || mx === "mismatch") return "mx_lost";
  return mx === "verified" ? "mx_found" : null;
};

/**
 * Returns the statements by which the service itself changes the policy of a domain after an event, with an audit entry and, when
 * owners had it enforced, a notification; none when the event changes nothing.
 */
export function ownPolicyStatements(
  ctx: Pick<Ctx, "db" | "now" | "newId" | "settings">,
  domain: PolicyDomain,
  { hosts, event }: { hosts: readonly PolicyHost[]; event: PolicyEvent },
): MainStatement[] {
  const found = policyOf(hosts);
  const to = found && nextPolicy(found.state, event);
  if (!found || !to || to.mode === found.state.mode) return [];
  const { host, state: from } = found;
  const audit = { action: "domain.mta_sts_changed" as const, target: domain.id };
  const detail = { name: domain.name, from: from.mode, to: to.mode };
  const actor = { ...ctx, actor: null, workspace: { number: domain.workspace }, clientIp: null };
  const notice = policyNotice(ctx.settings, domain, { from: from.mode, to: to.mode });
  return [
    setPolicyStatement(ctx, domain, { host, from, to }),
    auditIfChangedStatement(actor, { ...audit, detail }),
    bumpPolicyIdStatement(ctx, domain.id),
    ...(notice === null ? [] : notifyOwnersStatements(ctx, domain.workspace, notice)),
  ];
}

/** Returns the notice of a change that the service makes; null: it needs none. Pure. */
function policyNotice(
  settings: Pick<Settings, "mxHost">,
  { id, name }: { id: string; name: string },
  { from, to }: { from: PolicyMode; to: PolicyMode },
): Notice | null {
  const common = { category: "alerts", href: `/domains/${id}` } as const;
  const record = `Where _mta-sts.${name} is a TXT record, change its id to ${mtaStsId(settings, to)}.`;
  if (to === "enforce") {
    const body = `The MTA-STS policy was tested for 14 days without a failure and is now enforced. ${record}`;
    return { ...common, severity: "success", title: `Mail to ${name} must now be encrypted`, body };
  }
  if (from !== "enforce") return null;
  const body = `The last check found that its MX records do not lead here, or the domain is no longer verified, so its MTA-STS policy is ended. It is tested again once they do. ${record}`;
  return { ...common, severity: "warning", title: `Mail to ${name} no longer has to be encrypted`, body };
}
