import type { CallerCtx } from "../../../access/caller.ts";
import { invalidField, notFound } from "../../../lib/errors.ts";
import { auditIfChangedStatement } from "../../../platform/audit/record.ts";
import { getAnyWorkspace, listDomainClaims } from "../index.ts";
import { type AssignmentRow, egressIssue } from "./queries.ts";

const SET_OF_WORKSPACE =
  "UPDATE workspaces SET egress = ?2 WHERE number = ?1 AND deleted_at IS NULL AND egress IS NOT ?2";
const SET_OF_DOMAIN = "UPDATE domains SET egress = ?2 WHERE id = ?1 AND egress IS NOT ?2";

/**
 * Gives a workspace an egress of its own, by which all of its mail leaves whose domain has none; a null egress removes it. Holds
 * from the next claim on. A repeated call changes nothing. Throws 404 for the workspace, 422 for an egress that cannot be used.
 */
export async function setWorkspaceEgress(ctx: CallerCtx, id: string, egress: string | null): Promise<AssignmentRow> {
  const { number, id: target, name, egress: from } = await getAnyWorkspace(ctx, id);
  const issue = egress === null ? null : requireUsable(ctx, egress);
  await ctx.db.batch([
    ctx.db.prepare(SET_OF_WORKSPACE).bind(number, egress),
    auditIfChangedStatement(
      { ...ctx, workspace: { number } },
      { action: "workspace.egress_changed", target, detail: { name, from, to: egress } },
    ),
  ]);
  return { egress: egress ?? "", workspace_id: target, workspace_name: name, domain: null, id: target, issue };
}

/**
 * Gives a domain an egress of its own, in the workspace that has verified it. It ends when the domain is transferred or deleted.
 * Throws 404 when no workspace has verified this name, 422 for an egress that cannot be used.
 */
export async function setDomainEgress(ctx: CallerCtx, name: string, egress: string): Promise<AssignmentRow> {
  const claim = (await listDomainClaims(ctx, name)).find((found) => found.name === name);
  if (!claim) throw notFound("Verified domain");
  const issue = requireUsable(ctx, egress);
  const { domain_id: id, workspace: number, workspace_id, workspace_name } = claim;
  await ctx.db.batch(domainStatements(ctx, { id, name, workspace: number }, egress));
  return { egress, workspace_id, workspace_name, domain: name, id, issue };
}

/** Rows of one name that a removal changes: one for each workspace that has registered the domain and had it verified once. */
const MAX_ROWS = 50;
const FIND_ASSIGNED = `
  SELECT id, name, workspace FROM domains WHERE name = ?1 AND egress IS NOT NULL LIMIT ${MAX_ROWS}`;

/** Removes the egress of a domain, also of one that is no longer verified. Throws 404 when no domain of this name has one. */
export async function removeDomainEgress(ctx: CallerCtx, name: string): Promise<void> {
  const results = await ctx.db.listRows<DomainTarget>(FIND_ASSIGNED, name);
  if (results.length === 0) throw notFound("Egress of the domain");
  await ctx.db.batch(results.flatMap((row) => domainStatements(ctx, row, null)));
}

interface DomainTarget {
  id: string;
  name: string;
  workspace: number;
}

function domainStatements(ctx: CallerCtx, { id, name, workspace: number }: DomainTarget, egress: string | null) {
  return [
    ctx.db.prepare(SET_OF_DOMAIN).bind(id, egress),
    auditIfChangedStatement(
      { ...ctx, workspace: { number } },
      { action: "domain.egress_changed", target: id, detail: { name, to: egress } },
    ),
  ];
}

/** Throws 422 for an egress that NAMED_EGRESS_URLS does not have, or whose URL is malformed: mail would wait. */
function requireUsable({ settings }: CallerCtx, name: string): null {
  const names = [...settings.namedEgresses.urls.keys()];
  if (!names.includes(name)) {
    const known = names.length === 0 ? "it has none" : `it has ${names.join(", ")}`;
    throw invalidField("egress", `egress must be a name of NAMED_EGRESS_URLS; ${known}`);
  }
  const issue = egressIssue(settings, name);
  if (issue !== null) throw invalidField("egress", `egress cannot be used: ${issue}`);
  return null;
}
