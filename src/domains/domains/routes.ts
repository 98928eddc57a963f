import * as z from "zod";
import { apiRoutes, outlives } from "../../http/api-routes.ts";
import { flag } from "../../http/flag.ts";
import { pageOrCursorQuery, refuseDeepPages, respondList } from "../../http/pagination.ts";
import { hourlyLimit } from "../../http/rate-limit.ts";
import { deleteDomain } from "./delete.ts";
import { getDomainWithKeys, listDomains } from "./queries.ts";
import { registerDomain } from "./register.ts";
import { rotateDkim } from "./rotate-dkim.ts";
import { DomainIn, DomainOut, DomainPatch, DomainProblem, toDomain } from "./schema.ts";
import { updateDomain } from "./update.ts";

const ListQuery = z
  .object({
    ...pageOrCursorQuery,
    name: z.string().toLowerCase().optional().describe("Filters by exact name, in A-label form."),
  })
  .superRefine(refuseDeepPages);

const DeleteQuery = z.object({
  delete_mailboxes: flag("Whether the mailboxes of the domain are deleted with all their mail."),
});

export const domainRoutes = apiRoutes("Domains")
  .post("/v1/domains/", "registerDomain", "domains:manage", outlives.nothing, {
    summary: "Register a domain",
    before: hourlyLimit("domain-registrations", (settings) => settings.domainRegistrationsPerHour),
    body: DomainIn,
    returns: { 201: ["The domain, pending, with the records to publish", DomainOut] },
    run: (caller, { body }) => registerDomain(caller, body),
  })
  .get("/v1/domains/", "listDomains", "domains:view", {
    summary: "List domains in order of name",
    query: ListQuery,
    returns: { 200: ["A page of domains", z.array(DomainOut)] },
    run: (_caller, { query }, c) =>
      respondList(c, query, {
        read: listDomains,
        after: ({ domain }) => domain.name,
        serialize: (row, { settings }) => toDomain(settings, row),
      }),
  })
  .get("/v1/domains/:domain_id", "getDomain", "domains:view", {
    summary: "Get a domain with its DNS records and their status",
    returns: { 200: ["The domain", DomainOut] },
    run: async (caller, { domain_id }) => toDomain(caller.settings, await getDomainWithKeys(caller, domain_id)),
  })
  .patch("/v1/domains/:domain_id", "updateDomain", "domains:manage", outlives.nothing, {
    summary: "Change the set-up, the DMARC policy or the MTA-STS policy of a domain",
    description:
      "The DKIM keys of today sign until a check has found the records of the new set-up. Returns 409 when the domain was " +
      "changed at the same moment, and for `mta_sts` when it has no policy, or no active host that serves it; 422 for the DMARC " +
      "policy of a domain that is not delegated.",
    body: DomainPatch,
    returns: { 200: ["The domain with the records to publish", DomainOut] },
    errors: [409],
    run: (caller, { domain_id, body }) => updateDomain(caller, domain_id, body),
  })
  .post("/v1/domains/:domain_id/dkim/rotate", "rotateDkimKeys", "domains:manage", outlives.nothing, {
    summary: "Rotate the DKIM keys of a domain",
    description:
      "The new keys sign once both of their records are found in DNS; the old keys sign until then. The next " +
      "key of a delegated domain signs at once: 409 when its record is not yet published for two days.",
    returns: { 200: ["The domain with the new records", DomainOut] },
    run: (caller, { domain_id }) => rotateDkim(caller, domain_id),
  })
  .delete("/v1/domains/:domain_id", "deleteDomain", "domains:manage", outlives.nothing, {
    summary: "Delete a domain, with its mailboxes if asked to",
    description:
      "Without delete_mailboxes a domain with mailboxes is a 409 with the mailboxes as `blockers`. With it, it takes `mailboxes:manage` too.",
    query: DeleteQuery,
    returns: { 204: "Deleted" },
    errors: [409],
    problems: { 409: DomainProblem },
    run: (caller, { domain_id, query }) => deleteDomain(caller, domain_id, { deleteMailboxes: query.delete_mailboxes }),
  });
