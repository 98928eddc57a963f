import { emailOf } from "../support/invitations.ts";
import { aToken, aTransferTarget, insertDomain, insertTransfer, TRANSFER_TARGET } from "../support/transfers.ts";
import type { TestWorkspace } from "../support/workspace.ts";
import type { RouteCase } from "./route-case.ts";

/** Creates a domain, and an account that it can be offered to. */
const createTransferable = async (workspace: TestWorkspace) => {
  await aTransferTarget();
  return { domain_id: (await insertDomain(workspace)).id };
};

/** Creates a pending transfer to the caller's user. */
const createIncoming = async ({ userId }: TestWorkspace) => {
  const { source } = await aTransferTarget();
  const { id } = await insertTransfer({ source, email: await emailOf(userId) });
  return { transfer_id: id, token: await aToken("accept", id) };
};

const createOutgoing = async (workspace: TestWorkspace) => {
  const { email } = await aTransferTarget();
  return { transfer_id: (await insertTransfer({ source: workspace, email })).id };
};

const createAccepted = async (workspace: TestWorkspace) => {
  const { email, workspaceNumber } = await aTransferTarget();
  const { id } = await insertTransfer({ source: workspace, email, targetWorkspace: workspaceNumber });
  return { stop_token: await aToken("stop", id) };
};

/** The response to an account that a transfer was not sent to (docs/contract/transfers.md#calls-of-a-transfer). */
const WRONG_RECIPIENT = "403 wrong_recipient";

const toTransferTarget = () => ({ target_email: TRANSFER_TARGET });

/** Makes sure that the service can send invitations. */
const createInvitable = async (workspace: TestWorkspace) => {
  await aTransferTarget();
  return { workspace_id: workspace.workspaceId };
};

/** The routes of domain transfers, and the invitation, which the mailbox of the service sends too. */
export const transferCases = {
  "POST /v1/workspaces/:workspace_id/invitations": {
    success: 201,
    create: createInvitable,
    body: () => ({ email: `${crypto.randomUUID()}@example.org` }),
    beyond: "all",
  },
  "POST /v1/domains/:domain_id/transfer": { success: 200, create: createTransferable, body: toTransferTarget },
  "GET /v1/domain-transfers/incoming": { success: 200 },
  "GET /v1/domain-transfers/outgoing": { success: 200 },
  "GET /v1/domain-transfers/accept-eligibility": { success: 200 },
  "POST /v1/domain-transfers/:token/accept": {
    success: 200,
    create: createIncoming,
    body: () => ({}),
    isPerUser: true,
    crossesWorkspaces: true,
  },
  "POST /v1/domain-transfers/by-id/:transfer_id/accept": {
    success: 200,
    create: createIncoming,
    body: () => ({}),
    isPerUser: true,
    foreignId: WRONG_RECIPIENT,
  },
  "POST /v1/domain-transfers/:transfer_id/decline": {
    success: 200,
    create: createIncoming,
    isPerUser: true,
    foreignId: WRONG_RECIPIENT,
  },
  "DELETE /v1/domain-transfers/:transfer_id": { success: 200, create: createOutgoing, isPerUser: true },
  "POST /v1/domain-transfers/stop/:stop_token": { success: 200, create: createAccepted },
  "POST /v1/admin/domain-transfers/:domain_id": {
    success: 200,
    create: createTransferable,
    body: toTransferTarget,
    crossesWorkspaces: true,
  },
  "GET /domain-transfers/accept/:token": { success: 303 },
  "POST /domain-transfers/accept/:token": { success: 403 },
  "GET /domain-transfers/stop/:token": { success: 303 },
  "POST /domain-transfers/stop/:token": { success: 403 },
} satisfies Record<string, RouteCase>;
