import * as z from "zod";
import { apiRoutes, outlives } from "../../../http/api-routes.ts";
import { pathText } from "../../../http/openapi.ts";
import { pageQuery, respondList } from "../../../http/pagination.ts";
import { readHost } from "../host-name.ts";
import { removeDomainEgress, setDomainEgress, setWorkspaceEgress } from "./assign.ts";
import { listAssignments, listEgresses } from "./queries.ts";
import { EgressAssignmentOut, EgressIn, EgressOut, toAssignment, toEgressOut } from "./schema.ts";

/** Domain, empty for a workspace, and id of the last row of a page. */
const CURSOR = /^([a-z0-9.-]{0,253})\/([0-9a-f-]{36})$/;
const { limit } = pageQuery({ default: 100, max: 500 });
const ListQuery = z.object({
  limit,
  after: z.string().regex(CURSOR, "after must be the value of a Link header").optional(),
});

const ofDomain = [pathText("name", "Name of the domain", "example.com")];

/** The routes with which administrators of the platform give workspaces and domains an egress of their own. */
export const egressRoutes = apiRoutes("Platform")
  .get("/v1/admin/egresses", "listEgresses", "platform_admin", {
    summary: "List the egresses of the deployment",
    description: "Without user names and passwords.",
    returns: { 200: ["The egresses", z.array(EgressOut)] },
    run: (caller) => listEgresses(caller).map(toEgressOut),
  })
  .get("/v1/admin/egress-assignments", "listEgressAssignments", "platform_admin", {
    summary: "List the workspaces and domains with an egress of their own",
    description: "With the reason when their mail waits, because the egress has been removed or is malformed.",
    query: ListQuery,
    returns: { 200: ["A page of them", z.array(EgressAssignmentOut)] },
    run: (_caller, { query }, c) =>
      respondList(c, query, {
        read: (caller, { after, limit }) => {
          const [, domain = "", id = ""] = CURSOR.exec(after ?? "") ?? [];
          return listAssignments(caller, { after: { domain, id }, limit });
        },
        after: (row) => `${row.domain ?? ""}/${row.id}`,
        serialize: toAssignment,
      }),
  })
  .put("/v1/admin/workspaces/:workspace_id/egress", "updateWorkspaceEgress", "platform_admin", outlives.nothing, {
    summary: "Give a workspace an egress of its own",
    description: "All of its mail leaves by that, also bulk mail, unless its domain has one. Queued mail too.",
    body: EgressIn,
    returns: { 200: ["The workspace", EgressAssignmentOut] },
    run: async (caller, { workspace_id, body }) =>
      toAssignment(await setWorkspaceEgress(caller, workspace_id, body.egress)),
  })
  .delete("/v1/admin/workspaces/:workspace_id/egress", "removeWorkspaceEgress", "platform_admin", outlives.nothing, {
    summary: "Remove the egress of a workspace",
    returns: { 204: "Removed" },
    run: (caller, { workspace_id }) => setWorkspaceEgress(caller, workspace_id, null),
  })
  .put("/v1/admin/domains/:name/egress", "updateDomainEgress", "platform_admin", outlives.nothing, {
    summary: "Give a verified domain an egress of its own",
    description:
      "Its mail leaves by that; a sub-domain that is registered itself keeps its own. A transfer removes it.",
    parameters: ofDomain,
    body: EgressIn,
    returns: { 200: ["The domain", EgressAssignmentOut] },
    run: async (caller, { name, body }) =>
      toAssignment(await setDomainEgress(caller, readHost(name, "name"), body.egress)),
  })
  .delete("/v1/admin/domains/:name/egress", "removeDomainEgress", "platform_admin", outlives.nothing, {
    summary: "Remove the egress of a domain",
    parameters: ofDomain,
    returns: { 204: "Removed" },
    run: (caller, { name }) => removeDomainEgress(caller, readHost(name, "name")),
  });
