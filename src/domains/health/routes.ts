import { apiRoutes, outlives } from "../../http/api-routes.ts";
import { hourlyLimit } from "../../http/rate-limit.ts";
import { DomainOut } from "../domains/index.ts";
import { getHealth, verifyAndExamine } from "./get.ts";
import { HealthOut } from "./schema.ts";

export const domainHealthRoutes = apiRoutes("Domains")
  .get("/v1/domains/:domain_id/health", "getDomainHealth", "domains:view", {
    summary: "Get what is wrong with a domain and what to do about it",
    description: "From the last evaluation: once a day, by a verification, and when a report of a receiver comes.",
    returns: { 200: ["The findings", HealthOut] },
    run: (caller, { domain_id }) => getHealth(caller, domain_id),
  })
  .post("/v1/domains/:domain_id/verify", "verifyDomain", "domains:manage", outlives.nothing, {
    summary: "Verify a domain by checking its DNS records",
    description:
      "Changes nothing when DNS does not respond (SERVFAIL, timeout). Returns 409 when another workspace has verified " +
      "this name or one above it. A name below it that another workspace has verified becomes failed there.",
    before: hourlyLimit("domain-verifications", (settings) => settings.domainVerificationsPerHour),
    once: false,
    returns: { 200: ["The domain after the check", DomainOut] },
    errors: [409],
    run: (caller, { domain_id }) => verifyAndExamine(caller, domain_id),
  });
