import { resolver } from "hono-openapi";
import * as z from "zod";
import { newRoutes } from "../../http/env.ts";
import { flag } from "../../http/flag.ts";
import { idempotent } from "../../http/idempotency.ts";
import { noBody } from "../../http/json-body.ts";
import { operationsOf, responses } from "../../http/openapi.ts";
import { pageOrCursorQuery, refuseDeepPages, respondList } from "../../http/pagination.ts";
import { hourlyLimit } from "../../http/rate-limit.ts";
import { body, query } from "../../http/validate.ts";
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

const operation = operationsOf("Domains");

export const domainRoutes = newRoutes()
  .post(
    "/v1/domains/",
    operation("domains:manage", "registerDomain", {
      summary: "Register a domain",
      responses: responses(201, "The domain, pending, with the records to publish", DomainOut, [403, 409, 413, 415]),
    }),
    hourlyLimit("domain-registrations", (settings) => settings.domainRegistrationsPerHour),
    ...body(DomainIn),
    idempotent(201),
    async (c) => c.json(await registerDomain(c.get("caller"), c.req.valid("json")), 201),
  )
  .get(
    "/v1/domains/",
    operation("domains:view", "listDomains", {
      summary: "List domains in order of name",
      responses: responses(200, "A page of domains", z.array(DomainOut), [403]),
    }),
    query(ListQuery),
    (c) =>
      respondList(c, {
        read: listDomains,
        after: ({ domain }) => domain.name,
        serialize: (row, { settings }) => toDomain(settings, row),
      }),
  )
  .get(
    "/v1/domains/:domain_id",
    operation("domains:view", "getDomain", {
      summary: "Get a domain with its DNS records and their status",
      responses: responses(200, "The domain", DomainOut, [403, 404]),
    }),
    async (c) => {
      const caller = c.get("caller");
      return c.json(toDomain(caller.settings, await getDomainWithKeys(caller, c.req.param("domain_id"))));
    },
  )
  .patch(
    "/v1/domains/:domain_id",
    operation("domains:manage", "updateDomain", {
      summary: "Change the set-up, the DMARC policy or the MTA-STS policy of a domain",
      description:
        "The DKIM keys of today sign until a check has found the records of the new set-up. Returns 409 when the domain was " +
        "changed at the same moment, and for `mta_sts` when it has no policy, or no active host that serves it; 422 for the DMARC " +
        "policy of a domain that is not delegated.",
      responses: responses(200, "The domain with the records to publish", DomainOut, [403, 404, 409, 413, 415]),
    }),
    ...body(DomainPatch),
    async (c) => c.json(await updateDomain(c.get("caller"), c.req.param("domain_id"), c.req.valid("json"))),
  )
  .post(
    "/v1/domains/:domain_id/dkim/rotate",
    operation("domains:manage", "rotateDkimKeys", {
      summary: "Rotate the DKIM keys of a domain",
      description:
        "The new keys sign once both of their records are found in DNS; the old keys sign until then. The next " +
        "key of a delegated domain signs at once: 409 when its record is not yet published for two days.",
      responses: responses(200, "The domain with the new records", DomainOut, [403, 404, 409]),
    }),
    noBody,
    idempotent(200),
    async (c) => c.json(await rotateDkim(c.get("caller"), c.req.param("domain_id"))),
  )
  .delete(
    "/v1/domains/:domain_id",
    operation("domains:manage", "deleteDomain", {
      summary: "Delete a domain, with its mailboxes if asked to",
      description: "Without delete_mailboxes a domain with mailboxes is a 409 with the mailboxes as `blockers`.",
      responses: {
        ...responses(204, "Deleted", null, [403, 404]),
        409: {
          description: "The domain has mailboxes",
          content: { "application/json": { schema: resolver(DomainProblem) } },
        },
      },
    }),
    query(DeleteQuery),
    async (c) => {
      const deleteMailboxes = c.req.valid("query").delete_mailboxes;
      await deleteDomain(c.get("caller"), c.req.param("domain_id"), { deleteMailboxes });
      return c.body(null, 204);
    },
  );
