import * as z from "zod";
import { apiRoutes, outlives } from "../../http/api-routes.ts";
import type { Middleware } from "../../http/env.ts";
import { pathText } from "../../http/openapi.ts";
import { cursorQuery, respondList } from "../../http/pagination.ts";
import { minuteLimit } from "../../http/rate-limit.ts";
import { optionalBody } from "../../http/validate.ts";
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

const whileOn: Middleware = async (c, next) => {
  requireSwitchedOn(c.get("ctx"));
  await next();
};

/** Calls of transfers are unknown while DOMAIN_TRANSFERS is off (docs/contract/transfers.md#calls-of-a-transfer). */
const transferCalls = {
  before: whileOn,
  problems: { 403: TransferProblem, 404: TransferProblem, 409: TransferProblem, 410: TransferProblem },
};

export const transferRoutes = apiRoutes("Domain transfers", transferCalls)
  .post("/v1/domains/:domain_id/transfer", "createDomainTransfer", "domains:manage", outlives.offer, {
    summary: "Offer a domain to another account",
    description:
      "Mails an accept link to the account, which works for 7 days. The domain moves with its sub-domains and mailboxes 24 " +
      "hours after the acceptance. Returns 409 while it has scheduled emails or broadcasts. The limit is 5 calls per user " +
      "and minute.",
    before: minuteLimit("transfer-initiations", (settings) => settings.transferInitiationsPerMinute),
    body: TransferIn,
    returns: { 200: ["The transfer, pending", OfferedTransferOut] },
    errors: [503],
    run: (caller, { domain_id, body }) => initiateForDomain(caller, domain_id, body),
  })
  .get("/v1/domain-transfers/incoming", "listIncomingDomainTransfers", "domains:view", {
    summary: "List the pending and accepted transfers that were sent to you, newest first",
    query: z.object(cursorQuery),
    returns: { 200: ["A page of transfers", z.array(TransferOut)] },
    errors: [404],
    run: (_caller, { query }, c) =>
      respondList(c, query, {
        read: listIncoming,
        after: ({ row }) => row.id,
        serialize: ({ row, keys }, { now }) => toTransfer(row, now(), keys),
      }),
  })
  .get("/v1/domain-transfers/outgoing", "listOutgoingDomainTransfers", "domains:view", {
    summary: "List the transfers that you initiated in this workspace, newest first",
    query: z.object(cursorQuery),
    returns: { 200: ["A page of transfers", z.array(TransferOut)] },
    errors: [404],
    run: (_caller, { query }, c) =>
      respondList(c, query, {
        read: listOutgoing,
        after: ({ id }) => id,
        serialize: (row, { now }) => toTransfer(row, now()),
      }),
  })
  .get("/v1/domain-transfers/accept-eligibility", "getDomainTransferEligibility", "domains:view", {
    summary: "Get whether you could accept a transfer",
    returns: { 200: ["Whether you could, and why not", EligibilityOut] },
    errors: [404],
    run: (caller) => findEligibility(caller),
  })
  .post("/v1/domain-transfers/:token/accept", "acceptDomainTransfer", "domains:manage", outlives.nothing, {
    summary: "Accept a transfer by the token of its mailed link",
    description:
      "Starts the safety window of 24 hours. Every owner of the workspace that gives the domain away gets a link that " +
      "stops it. An API key accepts only into its own workspace.",
    parameters: [token("token", "accept", "kYx0Zt3vJ1eBq7mS9uLw2Rd5Hf8Gc4Na6Pi0oTsVbXE")],
    body: optionalBody(AcceptIn),
    returns: { 200: ["The transfer, accepted", TransferOut] },
    errors: [410, 503],
    run: (caller, { token, body }) => acceptByToken(caller, token, body),
  })
  .post(
    "/v1/domain-transfers/by-id/:transfer_id/accept",
    "acceptDomainTransferById",
    "domains:manage",
    outlives.nothing,
    {
      summary: "Accept a transfer that was sent to your account",
      body: optionalBody(AcceptIn),
      returns: { 200: ["The transfer, accepted", TransferOut] },
      errors: [410, 503],
      run: (caller, { transfer_id, body }) => acceptById(caller, transfer_id, body),
    },
  )
  .post("/v1/domain-transfers/:transfer_id/decline", "declineDomainTransfer", "domains:manage", outlives.nothing, {
    summary: "Decline a pending transfer that was sent to your account",
    once: false,
    returns: { 200: ["The transfer, declined", TransferOut] },
    errors: [409],
    run: (caller, { transfer_id }) => declineById(caller, transfer_id),
  })
  .delete("/v1/domain-transfers/:transfer_id", "cancelDomainTransfer", "domains:manage", outlives.nothing, {
    summary: "Cancel a pending transfer that you initiated",
    returns: { 200: ["The transfer, cancelled", TransferOut] },
    errors: [409],
    run: (caller, { transfer_id }) => cancelById(caller, transfer_id),
  })
  .post("/v1/domain-transfers/stop/:stop_token", "stopDomainTransfer", "domains:manage", outlives.nothing, {
    summary: "Stop an accepted transfer by the token of a mailed stop link",
    description: "Works within the safety window, for owners and admins of the workspace that gives the domain away.",
    parameters: [token("stop_token", "stop", "Qm7Xw2Rd5Hf8Gc4Na6Pi0oTsVbXEkYx0Zt3vJ1eBq7m")],
    once: false,
    returns: { 200: ["The transfer, reversed", TransferOut] },
    errors: [409],
    run: (caller, { stop_token }) => stopByToken(caller, stop_token),
  })
  .post("/v1/admin/domain-transfers/:domain_id", "forceDomainTransfer", "platform_admin", outlives.nothing, {
    summary: "Move a domain to another account at once",
    description:
      "Cannot be undone. Skips the acceptance and the safety window. Needs a re-authentication within the last five minutes.",
    tags: ["Platform"],
    body: ForceIn,
    returns: { 200: ["The transfer, completed", TransferOut] },
    run: (caller, { domain_id, body }) => forceDomain(caller, domain_id, body),
  });
