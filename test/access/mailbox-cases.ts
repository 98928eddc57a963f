import type { TestWorkspace } from "../support/workspace.ts";
import type { RouteCase } from "./route-case.ts";

const aLocalPart = () => `m${crypto.randomUUID().slice(0, 12)}`;

const createMailbox = async (workspace: TestWorkspace) => {
  const body = { domain_id: workspace.domainId, local_part: aLocalPart() };
  const { id } = await workspace.create("/v1/mailboxes/", body);
  return { mailbox_id: id };
};

const createAlias = async (workspace: TestWorkspace) => {
  const path = await createMailbox(workspace);
  const body = { address: `${aLocalPart()}@${workspace.domain}` };
  return { ...path, alias_id: (await workspace.create(`/v1/mailboxes/${path.mailbox_id}/aliases`, body)).id };
};

const createAppPassword = async (workspace: TestWorkspace) => {
  const path = await createMailbox(workspace);
  const { id } = await (
    await workspace.post(`/v1/mailboxes/${path.mailbox_id}/app-passwords`, { name: "Program" })
  ).json<{ id: string }>();
  return { ...path, app_password_id: id };
};

export const mailboxCases = {
  "POST /v1/mailboxes/": {
    success: 201,
    body: (of) => ({ domain_id: of.domainId, local_part: aLocalPart() }),
    places: { domain_id: { of: "domain", body: (_, id) => ({ domain_id: id, local_part: "hello" }) } },
  },
  "GET /v1/mailboxes/": { success: 200, places: { domain_id: { of: "domain", query: "domain_id" } } },
  "GET /v1/mailboxes/:mailbox_id": { success: 200, create: createMailbox },
  "PATCH /v1/mailboxes/:mailbox_id": {
    success: 200,
    create: createMailbox,
    body: () => ({ display_name: "Name" }),
    beyond: ["mailboxes:manage"],
  },
  "DELETE /v1/mailboxes/:mailbox_id": { success: 204, create: createMailbox },
  "GET /v1/mailboxes/:mailbox_id/aliases": { success: 200, create: createMailbox },
  "POST /v1/mailboxes/:mailbox_id/aliases": {
    success: 201,
    create: createMailbox,
    body: (of) => ({ address: `${aLocalPart()}@${of.domain}` }),
  },
  "DELETE /v1/mailboxes/:mailbox_id/aliases/:alias_id": { success: 204, create: createAlias },
  "PUT /v1/mailboxes/:mailbox_id/password": {
    success: 200,
    create: createMailbox,
    body: () => ({ password: "correct horse battery staple" }),
    beyond: ["inbox:read", "mailboxes:manage"],
    only: "admins",
  },
  "POST /v1/mailboxes/:mailbox_id/app-passwords": {
    success: 201,
    create: createMailbox,
    body: () => ({ name: "Program" }),
    beyond: ["inbox:read", "mailboxes:manage"],
    only: "admins",
  },
  "GET /v1/mailboxes/:mailbox_id/app-passwords": {
    success: 200,
    create: createMailbox,
    beyond: ["mailboxes:manage"],
    only: "admins",
  },
  "DELETE /v1/mailboxes/:mailbox_id/app-passwords/:app_password_id": {
    success: 204,
    create: createAppPassword,
    beyond: ["inbox:read", "mailboxes:manage"],
    only: "admins",
  },
  "PUT /v1/mailboxes/:mailbox_id/assignees": {
    success: 200,
    create: createMailbox,
    body: (of) => ({ user_ids: [of.userId] }),
    places: { user_ids: { of: "user", body: (_, id) => ({ user_ids: [id] }) } },
  },
} satisfies Record<string, RouteCase>;
