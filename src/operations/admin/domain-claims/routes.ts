import * as z from "zod";
import { apiRoutes, outlives } from "../../../http/api-routes.ts";
import { pathText } from "../../../http/openapi.ts";
import { readHost } from "../host-name.ts";
import { endDomainClaim } from "./end.ts";
import { listDomainClaims } from "./queries.ts";
import { DomainClaimOut, toDomainClaim } from "./schema.ts";

const parameters = [pathText("name", "Name of the domain", "example.com")];

/** The routes with which administrators of the platform decide who may verify a domain. */
export const domainClaimRoutes = apiRoutes("Platform")
  .get("/v1/admin/domain-claims/:name", "listDomainClaims", "platform_admin", {
    summary: "List who has verified a domain, or one above it",
    description: "While there is one, other workspaces cannot verify the name.",
    parameters,
    returns: { 200: ["The verified domains, the longest name first", z.array(DomainClaimOut)] },
    run: async (caller, { name }) => (await listDomainClaims(caller, readHost(name, "name"))).map(toDomainClaim),
  })
  .delete("/v1/admin/domain-claims/:name", "endDomainClaim", "platform_admin", outlives.nothing, {
    summary: "End the verification of a domain, so that its owner can verify it",
    description: "It becomes `failed` and sends nothing more. The workspace that loses it is notified.",
    parameters,
    returns: { 204: "Ended" },
    run: (caller, { name }) => endDomainClaim(caller, readHost(name, "name")),
  });
