import { resolver } from "hono-openapi";
import * as z from "zod";
import { type Middleware, newRoutes } from "../../http/env.ts";
import { idempotent } from "../../http/idempotency.ts";
import { noBody } from "../../http/json-body.ts";
import { operationsOf, pathText, responses } from "../../http/openapi.ts";
import { cursorQuery, respondList } from "../../http/pagination.ts";
import { minuteLimit } from "../../http/rate-limit.ts";
import { body, optionalBody, query } from "../../http/validate.ts";
import {
  acceptById,
  acceptByToken,
  cancelById,
  declineById,
  forceDomain,
  initiateForDomain,
  stopByToken,
} from "./calls.ts";
import { findEligibility } from "./eligibility.ts";
import { listIncoming, listOutgoing } from "./queries.ts";
import {
  AcceptIn,
  EligibilityOut,
  ForceIn,
  OfferedTransferOut,
  TransferIn,
  TransferOut,
  TransferProblem,
  toTransfer,
} from "./schema.ts";
import { requireSwitchedOn } from "./switch.ts";

const token = (name: "token" | "stop_token", link: string, example: string) =>
  pathText(name, `The last part of the mailed ${link} link`, example);

/** Returns the responses of a route. Errors of transfers have a `code`, and `blockers` where something stops them. */
function transferResponses(description: string, schema: z.ZodType, errors: readonly number[] = []) {
  const problem = { "application/json": { schema: resolver(TransferProblem) } };
  const table = responses(200, description, schema, errors);
  const entries = Object.entries(table).map(([status, response]) =>
    ["403", "404", "409", "410"].includes(status) ? [status, { ...response, content: problem }] : [status, response],
  );
  return Object.fromEntries(entries) as typeof table;
}

const whileOn: Middleware = async (c, next) => {
  requireSwitchedOn(c.get("ctx"));
  await next();
};

const declare = operationsOf("Domain transfers");

/** Declares an operation of transfers. It returns 404 while DOMAIN_TRANSFERS is off (docs/contract/transfers.md#calls-of-a-transfer). */
const operation = (...entry: Parameters<typeof declare>) => [declare(...entry), whileOn] as const;

export const transferRoutes = newRoutes()
  .post(
    "/v1/domains/:domain_id/transfer",
    ...operation("domains:manage", "createDomainTransfer", {
      summary: "Offer a domain to another account",
      description:
        "Mails an accept link to the account, which works for 7 days. The domain moves with its sub-domains and mailboxes 24 " +
        "hours after the acceptance. Returns 409 while it has scheduled emails or broadcasts. The limit is 5 calls per user " +
        "and minute.",
      responses: transferResponses("The transfer, pending", OfferedTransferOut, [403, 404, 409, 413, 415, 503]),
    }),
    minuteLimit("transfer-initiations", (settings) => settings.transferInitiationsPerMinute),
    ...body(TransferIn),
    idempotent(200),
    async (c) => c.json(await initiateForDomain(c.get("caller"), c.req.param("domain_id"), c.req.valid("json"))),
  )
  .get(
    "/v1/domain-transfers/incoming",
    ...operation("domains:view", "listIncomingDomainTransfers", {
      summary: "List the pending and accepted transfers that were sent to you, newest first",
      responses: transferResponses("A page of transfers", z.array(TransferOut), [403, 404]),
    }),
    query(z.object(cursorQuery)),
    (c) =>
      respondList(c, {
        read: listIncoming,
        after: ({ row }) => row.id,
        serialize: ({ row, keys }, { now }) => toTransfer(row, now(), keys),
      }),
  )
  .get(
    "/v1/domain-transfers/outgoing",
    ...operation("domains:view", "listOutgoingDomainTransfers", {
      summary: "List the transfers that you initiated in this workspace, newest first",
      responses: transferResponses("A page of transfers", z.array(TransferOut), [403, 404]),
    }),
    query(z.object(cursorQuery)),
    (c) =>
      respondList(c, {
        read: listOutgoing,
        after: ({ id }) => id,
        serialize: (row, { now }) => toTransfer(row, now()),
      }),
  )
  .get(
    "/v1/domain-transfers/accept-eligibility",
    ...operation("domains:view", "getDomainTransferEligibility", {
      summary: "Get whether you could accept a transfer",
      responses: transferResponses("Whether you could, and why not", EligibilityOut, [403, 404]),
    }),
    async (c) => c.json(await findEligibility(c.get("caller"))),
  )
  .post(
    "/v1/domain-transfers/:token/accept",
    ...operation("domains:manage", "acceptDomainTransfer", {
      summary: "Accept a transfer by the token of its mailed link",
      description:
        "Starts the safety window of 24 hours. Every owner of the workspace that gives the domain away gets a link that " +
        "stops it. An API key accepts only into its own workspace.",
      parameters: [token("token", "accept", "kYx0Zt3vJ1eBq7mS9uLw2Rd5Hf8Gc4Na6Pi0oTsVbXE")],
      responses: transferResponses("The transfer, accepted", TransferOut, [403, 404, 409, 410, 413, 415, 503]),
    }),
    ...optionalBody(AcceptIn),
    idempotent(200),
    async (c) => c.json(await acceptByToken(c.get("caller"), c.req.param("token"), c.req.valid("json"))),
  )
  .post(
    "/v1/domain-transfers/by-id/:transfer_id/accept",
    ...operation("domains:manage", "acceptDomainTransferById", {
      summary: "Accept a transfer that was sent to your account",
      responses: transferResponses("The transfer, accepted", TransferOut, [403, 404, 409, 410, 413, 415, 503]),
    }),
    ...optionalBody(AcceptIn),
    idempotent(200),
    async (c) => c.json(await acceptById(c.get("caller"), c.req.param("transfer_id"), c.req.valid("json"))),
  )
  .post(
    "/v1/domain-transfers/:transfer_id/decline",
    ...operation("domains:manage", "declineDomainTransfer", {
      summary: "Decline a pending transfer that was sent to your account",
      responses: transferResponses("The transfer, declined", TransferOut, [403, 404, 409]),
    }),
    noBody,
    async (c) => c.json(await declineById(c.get("caller"), c.req.param("transfer_id"))),
  )
  .delete(
    "/v1/domain-transfers/:transfer_id",
    ...operation("domains:manage", "cancelDomainTransfer", {
      summary: "Cancel a pending transfer that you initiated",
      responses: transferResponses("The transfer, cancelled", TransferOut, [403, 404, 409]),
    }),
    async (c) => c.json(await cancelById(c.get("caller"), c.req.param("transfer_id"))),
  )
  .post(
    "/v1/domain-transfers/stop/:stop_token",
    ...operation("domains:manage", "stopDomainTransfer", {
      summary: "Stop an accepted transfer by the token of a mailed stop link",
      description: "Works within the safety window, for owners and admins of the workspace that gives the domain away.",
      parameters: [token("stop_token", "stop", "Qm7Xw2Rd5Hf8Gc4Na6Pi0oTsVbXEkYx0Zt3vJ1eBq7m")],
      responses: transferResponses("The transfer, reversed", TransferOut, [403, 404, 409]),
    }),
    noBody,
    async (c) => c.json(await stopByToken(c.get("caller"), c.req.param("stop_token"))),
  )
  .post(
    "/v1/admin/domain-transfers/:domain_id",
    ...operation("platform_admin", "forceDomainTransfer", {
      summary: "Move a domain to another account at once",
      description:
        "Cannot be undone. Skips the acceptance and the safety window. Needs a re-authentication within the last five minutes.",
      tags: ["Platform"],
      responses: transferResponses("The transfer, completed", TransferOut, [403, 404, 409, 413, 415]),
    }),
    ...body(ForceIn),
    idempotent(200),
    async (c) => c.json(await forceDomain(c.get("caller"), c.req.param("domain_id"), c.req.valid("json"))),
  );
