import type { CallerCtx } from "../../../access/caller.ts";
import { ancestors, reversedName } from "../../../domains/domains/index.ts";
import type { domains } from "../../../platform/db/schema/main/index.ts";
import type { StoredColumns } from "../../../platform/db/stored-row.ts";

/** A verified domain. No other workspace can verify its name or one below it. */
export interface DomainClaimRow extends StoredColumns<typeof domains, "name" | "workspace" | "verified_at"> {
  domain_id: string;
  workspace_id: string;
  workspace_name: string;
}

// One seek of the index of verified names for each label of the name, at most 127.
const FIND_CLAIMS = `
  SELECT d.id AS domain_id, d.name, d.workspace, w.id AS workspace_id, w.name AS workspace_name, d.verified_at
    FROM json_each(?1) j CROSS JOIN domains d ON d.status = 'verified' AND d.reversed_name = j.value
    JOIN workspaces w ON w.number = d.workspace ORDER BY length(d.name) DESC`;

/** Returns the verified domains that keep other workspaces from verifying a name: it and those above it, longest first. */
export const listDomainClaims = ({ db }: Pick<CallerCtx, "db">, name: string): Promise<DomainClaimRow[]> =>
  db.listRows(FIND_CLAIMS, JSON.stringify(ancestors(reversedName(name))));
