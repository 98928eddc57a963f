import { newRoutes } from "../../http/env.ts";
import { operationsOf, responses } from "../../http/openapi.ts";
import { hourlyLimit } from "../../http/rate-limit.ts";
import { DomainOut } from "../domains/index.ts";
import { getHealth, verifyAndExamine } from "./get.ts";
import { HealthOut } from "./schema.ts";

const operation = operationsOf("Domains");

export const domainHealthRoutes = newRoutes()
  .get(
    "/v1/domains/:domain_id/health",
    operation("domains:view", "getDomainHealth", {
      summary: "Get what is wrong with a domain and what to do about it",
      description: "From the last evaluation: once a day, by a verification, and when a report of a receiver comes.",
      responses: responses(200, "The findings", HealthOut, [403, 404]),
    }),
    async (c) => c.json(await getHealth(c.get("caller"), c.req.param("domain_id"))),
  )
  .post(
    "/v1/domains/:domain_id/verify",
    operation("domains:manage", "verifyDomain", {
      summary: "Verify a domain by checking its DNS records",
      description:
        "Changes nothing when DNS does not respond (SERVFAIL, timeout). Returns 409 when another workspace has verified " +
        "this name or one above it. A name below it that another workspace has verified becomes failed there.",
      responses: responses(200, "The domain after the check", DomainOut, [403, 404, 409]),
    }),
    hourlyLimit("domain-verifications", (settings) => settings.domainVerificationsPerHour),
    async (c) => c.json(await verifyAndExamine(c.get("caller"), c.req.param("domain_id"))),
  );
