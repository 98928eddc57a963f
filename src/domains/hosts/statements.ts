import { DAY_MS } from "../../lib/time.ts";
import type { Ctx, MainStatement } from "../../platform/context.ts";
import type { RecordStatus } from "../../platform/db/schema/main/domains.ts";
import { bumpPolicyIdStatement } from "../zones/index.ts";
import { KEPT_MS, TEST_MS } from "./policy-rules.ts";
import { type HostRow, ownPolicyStatements, type PolicyDomain, policyEventOf } from "./policy-statements.ts";
import { type HostPurpose, hostLabels } from "./rules.ts";

/** A host without its record is not checked: a DNS check that finds the record starts it again. In milliseconds. */
const WITHOUT_RECORD_MS = 365 * DAY_MS;

// Takes over the host of a domain that is deleted, or that its workspace can no longer verify: the name is the key. Links of that
// workspace under the host are refused from then on. A policy begins anew, in testing.
const START = `
  INSERT INTO custom_hosts (name, purpose, domain_id, workspace, status, problem, created_at, next_check_at, policy_mode, policy_since, policy_due_at)
  SELECT ?1, ?2, d.id, d.workspace, 'pending', 'absent', ?4, ?4, iif(?2 = 'mta_sts', 'testing', NULL), iif(?2 = 'mta_sts', ?4, NULL),
         iif(?2 = 'mta_sts', ?5, NULL) FROM domains d WHERE d.id = ?3 AND d.status = 'verified'
  ON CONFLICT (name) DO UPDATE SET domain_id = excluded.domain_id, workspace = excluded.workspace, status = 'pending', problem = 'absent',
    past_owners = iif(workspace = excluded.workspace, past_owners, '[]'), created_at = excluded.created_at, next_check_at = excluded.next_check_at,
    policy_kept_until = iif(domain_id IS NOT excluded.domain_id AND policy_mode = 'enforce', ?4 + ?6, policy_kept_until),
    policy_mode = iif(domain_id IS excluded.domain_id, policy_mode, excluded.policy_mode),
    policy_since = iif(domain_id IS excluded.domain_id, policy_since, excluded.policy_since),
    policy_is_held = iif(domain_id IS excluded.domain_id, policy_is_held, 0),
    policy_due_at = iif(domain_id IS excluded.domain_id, policy_due_at, excluded.policy_due_at),
    policy_blocker = iif(domain_id IS excluded.domain_id, policy_blocker, NULL)
   WHERE (domain_id = excluded.domain_id AND problem IS 'record') OR (domain_id IS NOT excluded.domain_id
     AND NOT EXISTS (SELECT 1 FROM domains o WHERE o.id = custom_hosts.domain_id AND o.status = 'verified'))`;

const FAIL = `
  UPDATE custom_hosts SET status = 'failed', problem = 'record', active_at = NULL, next_check_at = ?3
   WHERE domain_id = ?1 AND purpose = ?2 AND problem IS NOT 'record'`;

/** The hosts of a domain as they were before a DNS check, its results, and whether the domain is verified after it. */
interface CheckedHosts {
  statuses: Readonly<Record<string, RecordStatus>>;
  hosts: readonly HostRow[];
  isVerified: boolean;
}

/**
 * Returns the statements that start the hosts whose CNAME a DNS check has found, that let those fail whose CNAME is missing or
 * different, and that end the policy of a domain whose mail no longer comes here. For the batch that saves the check, after the status of the domain.
 */
export function hostStatements(
  ctx: Pick<Ctx, "db" | "settings" | "now" | "newId">,
  domain: PolicyDomain,
  { statuses, hosts, isVerified }: CheckedHosts,
): MainStatement[] {
  const { db, settings } = ctx;
  const { id, name } = domain;
  if (settings.hostnames === null) return [];
  const started = (Object.entries(hostLabels) as [HostPurpose, string][]).flatMap(([purpose, label]) => {
    const status = statuses[purpose];
    if (status === undefined || status === "pending") return [];
    // Delegated domains publish the CNAME of a policy early: it has a host once mail comes here, and keeps it as it is when it no longer does.
    if (purpose === "mta_sts" && statuses.mx !== "verified") return [];
    return status === "verified"
      ? [
          db.prepare(START).bind(`${label}.${name}`, purpose, id, ctx.now(), ctx.now() + TEST_MS, KEPT_MS),
          ...(purpose === "mta_sts" ? [bumpPolicyIdStatement(ctx, id)] : []),
        ]
      : [db.prepare(FAIL).bind(id, purpose, ctx.now() + WITHOUT_RECORD_MS)];
  });
  const event = policyEventOf(statuses.mx, isVerified);
  return [...started, ...(event === null ? [] : ownPolicyStatements(ctx, domain, { hosts, event }))];
}

// The row stays until the custom hostname is deleted, which the cron job repeats until it succeeds. A policy is `none` from now on, and
// senders may need it for weeks (advance.ts).
const REMOVE =
  "UPDATE custom_hosts SET status = 'removing', domain_id = NULL, active_at = NULL, next_check_at = ?2 WHERE domain_id = ?1";

/** Returns the statement that gives up the hosts of a domain, for the batch that deletes it. */
export const removeHostsStatement = ({ db, now }: Pick<Ctx, "db" | "now">, domainId: string): MainStatement =>
  db.prepare(REMOVE).bind(domainId, now());
