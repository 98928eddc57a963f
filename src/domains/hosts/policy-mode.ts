import type { Ctx } from "../../platform/context.ts";
import type { PolicyMode } from "./policy-rules.ts";

// That of a domain that was deleted ends at once.
const FIND_MODE =
  "SELECT iif(domain_id IS NULL, 'none', policy_mode) AS mode FROM custom_hosts WHERE name = ?1 AND policy_mode IS NOT NULL";

/** Returns the mode of the policy at a host, or null when no domain has that host. One read of D1. */
export const findPolicyMode = ({ db }: Pick<Ctx, "db">, host: string): Promise<PolicyMode | null> =>
  db.findValue<PolicyMode>(FIND_MODE, host);
