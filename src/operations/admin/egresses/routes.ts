import * as z from "zod";
import { newRoutes } from "../../../http/env.ts";
import { noContent } from "../../../http/no-content.ts";
import { pathText, responses } from "../../../http/openapi.ts";
import { pageQuery, respondList } from "../../../http/pagination.ts";
import { body, query } from "../../../http/validate.ts";
import { readHost } from "../host-name.ts";
import { operation } from "../routes.ts";
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
export const egressRoutes = newRoutes()
  .get(
    "/v1/admin/egresses",
    operation("listEgresses", {
      summary: "List the egresses of the deployment",
      description: "Without user names and passwords.",
      responses: responses(200, "The egresses", z.array(EgressOut), [403]),
    }),
    (c) => c.json(listEgresses(c.get("caller")).map(toEgressOut)),
  )
  .get(
    "/v1/admin/egress-assignments",
    operation("listEgressAssignments", {
      summary: "List the workspaces and domains with an egress of their own",
      description: "With the reason when their mail waits, because the egress has been removed or is malformed.",
      responses: responses(200, "A page of them", z.array(EgressAssignmentOut), [403]),
    }),
    query(ListQuery),
    (c) =>
      respondList(c, {
        read: (caller, { after, limit }) => {
          const [, domain = "", id = ""] = CURSOR.exec(after ?? "") ?? [];
          return listAssignments(caller, { after: { domain, id }, limit });
        },
        after: (row) => `${row.domain ?? ""}/${row.id}`,
        serialize: toAssignment,
      }),
  )
  .put(
    "/v1/admin/workspaces/:workspace_id/egress",
    operation("updateWorkspaceEgress", {
      summary: "Give a workspace an egress of its own",
      description: "All of its mail leaves by that, also bulk mail, unless its domain has one. Queued mail too.",
      responses: responses(200, "The workspace", EgressAssignmentOut, [403, 404, 413, 415]),
    }),
    ...body(EgressIn),
    async (c) => {
      const { egress } = c.req.valid("json");
      return c.json(toAssignment(await setWorkspaceEgress(c.get("caller"), c.req.param("workspace_id"), egress)));
    },
  )
  .delete(
    "/v1/admin/workspaces/:workspace_id/egress",
    operation("removeWorkspaceEgress", {
      summary: "Remove the egress of a workspace",
      responses: responses(204, "Removed", null, [403, 404]),
    }),
    (c) => noContent(c, setWorkspaceEgress(c.get("caller"), c.req.param("workspace_id"), null)),
  )
  .put(
    "/v1/admin/domains/:name/egress",
    operation("updateDomainEgress", {
      summary: "Give a verified domain an egress of its own",
      description:
        "Its mail leaves by that; a sub-domain that is registered itself keeps its own. A transfer removes it.",
      parameters: ofDomain,
      responses: responses(200, "The domain", EgressAssignmentOut, [403, 404, 413, 415]),
    }),
    ...body(EgressIn),
    async (c) => {
      const name = readHost(c.req.param("name"), "name");
      return c.json(toAssignment(await setDomainEgress(c.get("caller"), name, c.req.valid("json").egress)));
    },
  )
  .delete(
    "/v1/admin/domains/:name/egress",
    operation("removeDomainEgress", {
      summary: "Remove the egress of a domain",
      parameters: ofDomain,
      responses: responses(204, "Removed", null, [403, 404]),
    }),
    (c) => noContent(c, removeDomainEgress(c.get("caller"), readHost(c.req.param("name"), "name"))),
  );
