import type { CallerCtx } from "../../../access/caller.ts";
import { egressNamed, egressNames } from "../../../sending/delivery/index.ts";

/** An egress of the deployment, and why it cannot be used; null: it can. */
export interface EgressState {
  name: string;
  host: string | null;
  issue: string | null;
}

/** Returns the egresses of the settings. No D1 call. */
export function listEgresses({ settings }: Pick<CallerCtx, "settings">): EgressState[] {
  return egressNames(settings).map((name) => {
    const egress = egressNamed(settings, name);
    return "issue" in egress ? { name, host: null, issue: egress.detail } : { name, host: egress.relay, issue: null };
  });
}

/** A workspace or a domain with an egress of its own. */
export interface AssignmentRow {
  egress: string;
  workspace_id: string;
  workspace_name: string;
  /** Null: of the whole workspace. */
  domain: string | null;
  /** Id of the domain or the workspace. */
  id: string;
  issue: string | null;
}

/** The last row of the page before: its domain, or empty for a workspace, and its id. */
export interface AssignmentCursor {
  domain: string;
  id: string;
}

// Both parts read an index of the assigned ones only, from the cursor on.
const LIST = `
  SELECT * FROM (
    SELECT w.egress, w.id AS workspace_id, w.name AS workspace_name, NULL AS domain, w.id FROM workspaces w
     WHERE w.egress IS NOT NULL AND ?1 = '' AND w.id > ?2 AND w.deleted_at IS NULL ORDER BY w.id LIMIT ?3)
  UNION ALL
  SELECT * FROM (
    SELECT d.egress, w.id AS workspace_id, w.name AS workspace_name, d.name AS domain, d.id
      FROM domains d CROSS JOIN workspaces w ON w.number = d.workspace
     WHERE d.egress IS NOT NULL AND (d.name, d.id) > (?1, ?2) AND w.deleted_at IS NULL ORDER BY d.name, d.id LIMIT ?3)
   ORDER BY domain, id LIMIT ?3`;

/** Returns the workspaces with an egress of their own by id, then such domains by name, after a cursor. */
export async function listAssignments(
  { db, settings }: Pick<CallerCtx, "db" | "settings">,
  { after, limit }: { after: AssignmentCursor; limit: number },
): Promise<AssignmentRow[]> {
  const results = await db.listRows<Omit<AssignmentRow, "issue">>(LIST, after.domain, after.id, limit);
  return results.map((row) => ({ ...row, issue: egressIssue(settings, row.egress) }));
}

/** Returns why mail that is to leave by an egress waits; null: it leaves. */
export function egressIssue(settings: CallerCtx["settings"], name: string): string | null {
  const egress = egressNamed(settings, name);
  return "issue" in egress ? egress.detail : null;
}
