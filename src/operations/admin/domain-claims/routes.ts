import * as z from "zod";
import { newRoutes } from "../../../http/env.ts";
import { noContent } from "../../../http/no-content.ts";
import { pathText, responses } from "../../../http/openapi.ts";
import { readHost } from "../host-name.ts";
import { operation } from "../routes.ts";
import { endDomainClaim } from "./end.ts";
import { listDomainClaims } from "./queries.ts";
import { DomainClaimOut, toDomainClaim } from "./schema.ts";

const parameters = [pathText("name", "Name of the domain", "example.com")];

/** The routes with which administrators of the platform decide who may verify a domain. */
export const domainClaimRoutes = newRoutes()
  .get(
    "/v1/admin/domain-claims/:name",
    operation("listDomainClaims", {
      summary: "List who has verified a domain, or one above it",
      description: "While there is one, other workspaces cannot verify the name.",
      parameters,
      responses: responses(200, "The verified domains, the longest name first", z.array(DomainClaimOut), [403, 404]),
    }),
    async (c) =>
      c.json((await listDomainClaims(c.get("caller"), readHost(c.req.param("name"), "name"))).map(toDomainClaim)),
  )
  .delete(
    "/v1/admin/domain-claims/:name",
    operation("endDomainClaim", {
      summary: "End the verification of a domain, so that its owner can verify it",
      description: "It becomes `failed` and sends nothing more. The workspace that loses it is notified.",
      parameters,
      responses: responses(204, "Ended", null, [403, 404]),
    }),
    (c) => noContent(c, endDomainClaim(c.get("caller"), readHost(c.req.param("name"), "name"))),
  );
