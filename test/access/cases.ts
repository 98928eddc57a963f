import { keyPrefix } from "../../src/access/accounts/api-key.ts";
import { parseUuid } from "../../src/lib/ids.ts";
import { onShard } from "../../src/platform/jobs/shards.ts";
import { multipart } from "../audience/contacts/csv-support.ts";
import { database } from "../support/databases.ts";
import { register } from "../support/domains.ts";
import { emailOf, insertInvitation } from "../support/invitations.ts";
import { createGrant } from "../support/oauth.ts";
import { aSession } from "../support/sessions.ts";
import { insertCredential } from "../support/smtp-credentials.ts";
import { aKey, aMail, aMember, aWorkspace, type TestWorkspace, testContext } from "../support/workspace.ts";
import { adminCases } from "./admin-cases.ts";
import { audienceCases } from "./audience-cases.ts";
import { compatCases } from "./compat-cases.ts";
import { forwardCases } from "./forward-cases.ts";
import { gatewayCases } from "./gateway-cases.ts";
import { inboxCases } from "./inbox-cases.ts";
import { mailboxCases } from "./mailbox-cases.ts";
import { operatorCases } from "./operator-cases.ts";
import { pageCases } from "./page-cases.ts";
import { pictureCases } from "./picture-cases.ts";
import { reportingCases } from "./reporting-cases.ts";
import type { RouteCase } from "./route-case.ts";
import { transferCases } from "./transfer-cases.ts";
import { webhookCases } from "./webhook-cases.ts";

const createEmail = async (workspace: TestWorkspace, changes: Record<string, unknown> = {}) => {
  return { email_id: (await workspace.create("/v1/emails/", aMail(workspace, changes))).id };
};

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();
const createScheduledEmail = (workspace: TestWorkspace) => createEmail(workspace, { send_at: inAnHour() });

const createFailedEmail = async (workspace: TestWorkspace) => {
  const ids = await createScheduledEmail(workspace);
  const db = onShard(testContext(), workspace.mailShard).mail;
  await db.batch([
    db.prepare("DELETE FROM outbox WHERE id = ?1").bind(ids.email_id),
    db
      .prepare(
        "UPDATE emails SET status = 'failed', due_at = NULL, recipients = replace(recipients, '\"queued\"', '\"failed\"') WHERE id = ?1",
      )
      .bind(ids.email_id),
  ]);
  return ids;
};

const createDomain = async (workspace: TestWorkspace) => ({ domain_id: (await register(workspace)).id });
const uniqueLocalPart = () => `m${crypto.randomUUID().slice(0, 12)}`;

const createKey = async (workspace: TestWorkspace) => {
  const key = await aKey(workspace, { scopes: ["team:view"] });
  const row = await testContext()
    .db.prepare("SELECT id FROM api_keys WHERE prefix = ?1 AND workspace = ?2")
    .bind(keyPrefix(key), workspace.workspaceNumber)
    .first<{ id: string }>();
  return { api_key_id: row?.id ?? "" };
};

const createSuppression = async (workspace: TestWorkspace) => {
  const email = `${uniqueLocalPart()}@example.org`;
  await workspace.post("/v1/suppressions/", { email });
  return { email };
};

const createVerifiedDomain = async (workspace: TestWorkspace) => {
  const { id } = await register(workspace);
  await database.run("UPDATE domains SET status = 'verified' WHERE id = ?1", [id]);
  return { domain_id: id };
};

const createCredential = async (workspace: TestWorkspace) => ({
  credential_id: (await insertCredential(workspace, await createVerifiedDomain(workspace))).id,
});

const createTemplate = async (workspace: TestWorkspace) => {
  return {
    template_id: (await workspace.create("/v1/templates/", { name: "A template", html_body: "<p>{{name}}</p>" })).id,
  };
};

const createList = async (workspace: TestWorkspace) => {
  const { id } = await workspace.create("/v1/contacts/", { name: "A list" });
  return { list_id: id };
};

const newContact = () => ({ email: `${uniqueLocalPart()}@example.org` });

const createContact = async (workspace: TestWorkspace) => {
  const { list_id } = await createList(workspace);
  return { list_id, contact_id: (await workspace.create(`/v1/contacts/${list_id}/contacts`, newContact())).id };
};
const createSession = async (workspace: TestWorkspace) => ({ session_id: (await aSession(workspace)).sessionId });
/** Stamps the sessions of the user, as a proof of its identity does. */
const proveIdentity = async ({ userId }: TestWorkspace) => {
  await database.run("UPDATE sessions SET reauthenticated_at = ?2 WHERE user_id = ?1", [userId, Date.now()]);
  return {};
};
const aBroadcast = (of: TestWorkspace) => ({ name: "A broadcast", subject: "News", from_address: of.mailbox });

const createBroadcast = async (workspace: TestWorkspace) => {
  return { broadcast_id: (await workspace.create("/v1/broadcasts/", aBroadcast(workspace))).id };
};

const createSendingBroadcast = async (workspace: TestWorkspace) => {
  const ids = await createBroadcast(workspace);
  await onShard(testContext(), workspace.mailShard)
    .mail.prepare("UPDATE broadcasts SET status = 'sending' WHERE id = ?1")
    .bind(ids.broadcast_id)
    .run();
  return ids;
};

const createReadyBroadcast = async (workspace: TestWorkspace) => {
  const { list_id } = await createContact(workspace);
  const body = { ...aBroadcast(workspace), text_body: "Hello", contact_list_id: list_id };
  return { broadcast_id: (await workspace.create("/v1/broadcasts/", body)).id };
};

const createSampledBroadcast = async (workspace: TestWorkspace) => {
  const ids = await createVariant(workspace);
  const { list_id } = await createContact(workspace);
  const db = onShard(testContext(), workspace.mailShard).mail;
  const list = await db.prepare("SELECT n FROM contact_lists WHERE id = ?1").bind(list_id).first<number>("n");
  const fanOut = { list, lastContact: 0, split: { isSample: true, arms: [], eligible: 0 }, isComplete: true };
  await db
    .prepare("UPDATE broadcasts SET status = 'sent', ab_test_pct = 50, fan_out = ?2 WHERE id = ?1")
    .bind(ids.broadcast_id, JSON.stringify({ ...fanOut, wave: { kind: "first" }, cursor: null }))
    .run();
  return ids;
};

const createVariant = async (workspace: TestWorkspace) => {
  const ids = await createBroadcast(workspace);
  const path = `/v1/broadcasts/${ids.broadcast_id}/variants`;
  return { ...ids, variant_id: (await workspace.create(path, { label: "A", subject: "News" })).id };
};

const createMember = async (workspace: TestWorkspace) => ({
  workspace_id: workspace.workspaceId,
  user_id: (await aMember(workspace, "member")).userId,
});

const createInvitation = async (workspace: TestWorkspace) => ({
  workspace_id: workspace.workspaceId,
  invitation_id: (await insertInvitation(workspace, { email: `${uniqueLocalPart()}@example.org` })).id,
});

/** Invites the caller's user to a new workspace. */
const createAcceptable = async ({ userId }: TestWorkspace) => ({
  token: (await insertInvitation(await aWorkspace(), { email: await emailOf(userId) })).token,
});

const workspaceOf = async (workspace: TestWorkspace) => ({ workspace_id: workspace.workspaceId });

/** Every route. One that is missing here fails the test. */
export const cases: Record<string, RouteCase> = {
  "GET /openapi.json": { success: 200 },
  "GET /health": { success: 200 },
  "GET /ready": { success: 200 },
  // The tests have no METRICS_TOKEN (test/operations/metrics/metrics.test.ts sets one).
  "GET /metrics": { success: 404 },
  "GET /t/o/:token": { success: 200 },
  "GET /t/c/:token": { success: 404 },
  "GET /u/:token": { success: 404 },
  "POST /u/:token": { success: 404 },
  "GET /.well-known/oauth-authorization-server": { success: 200 },
  // Served at the hosts of customers alone.
  "GET /.well-known/mta-sts.txt": { success: 404 },
  "GET /.well-known/oauth-protected-resource": { success: 200 },
  "GET /.well-known/oauth-protected-resource/mcp": { success: 200 },
  "POST /oauth/register": { success: 400 },
  "GET /oauth/authorize": { success: 303 },
  "POST /oauth/authorize": { success: 403 },
  "POST /oauth/token": { success: 400 },
  "POST /oauth/revoke": { success: 400 },
  "POST /mcp": {
    success: 200,
    headers: { Accept: "application/json, text/event-stream" },
    body: () => ({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "get_me" } }),
  },
  "GET /v1/oauth/grants": { success: 200 },
  "DELETE /v1/oauth/grants/:grant_id": { success: 204, create: createGrant },
  "POST /auth/refresh": { success: 401 },
  "POST /auth/logout": { success: 204 },
  "POST /auth/workspace": {
    success: 200,
    body: (of) => ({ org_id: of.workspaceId }),
    places: { org_id: { of: "workspace", body: (_, id) => ({ org_id: id }) } },
  },
  ...pageCases,
  "GET /auth/sign-in": { success: 200 },
  "POST /auth/magic-link": { success: 202, body: (of) => ({ email: of.mailbox }) },
  "GET /auth/magic-link/:token": { success: 404 },
  "POST /auth/magic-link/:token": { success: 404 },
  "GET /auth/totp": { success: 303 },
  "POST /auth/totp": { success: 303, body: () => ({ code: "000000" }) },
  "POST /auth/bootstrap": { success: 401 },
  "POST /auth/operator-session": { success: 401 },
  "POST /auth/operator-sign-in-link": { success: 401 },
  ...gatewayCases,
  ...operatorCases,
  "GET /auth/google": { success: 404 },
  "GET /auth/google/callback": { success: 404 },
  "GET /auth/github": { success: 404 },
  "GET /auth/github/callback": { success: 404 },
  "POST /v1/webmail/login": { success: 401, body: (of) => ({ email: of.mailbox, password: "wrong" }) },
  "POST /v1/webmail/refresh": { success: 401, body: () => ({ refresh_token: "unknown" }) },
  "POST /v1/webmail/logout": { success: 204, body: () => ({ refresh_token: "unknown" }) },
  "POST /v1/auth/totp/setup": { success: 200 },
  "POST /v1/auth/totp/enable": { success: 409, body: () => ({ code: "000000" }) },
  "POST /v1/auth/totp/disable": { success: 409, body: () => ({ code: "000000" }) },
  "POST /v1/auth/reauth": { success: 403, body: () => ({ code: "000000" }) },
  "GET /v1/me": { success: 200 },
  "DELETE /v1/me": { success: 204, create: proveIdentity },
  "GET /v1/sessions/": { success: 200 },
  "DELETE /v1/sessions/": { success: 204, inNewWorkspace: true },
  "DELETE /v1/sessions/:session_id": { success: 204, create: createSession },
  "POST /v1/emails/": { success: 202, body: (of) => aMail(of) },
  "POST /v1/emails/batch": { success: 202, body: (of) => [aMail(of)] },
  "POST /v1/emails/validate": { success: 200, body: (of) => aMail(of) },
  "GET /v1/emails/": {
    success: 200,
    places: { before: { of: "email", query: "before" } },
  },
  "GET /v1/emails/:email_id": { success: 200, create: createEmail },
  "GET /v1/emails/:email_id/events": { success: 200, create: createEmail },
  "GET /v1/emails/:email_id/source": { success: 200, create: createEmail },
  "GET /v1/emails/scheduled": { success: 200 },
  "PATCH /v1/emails/scheduled/:email_id": {
    success: 200,
    create: createScheduledEmail,
    body: () => ({ send_at: inAnHour() }),
  },
  "DELETE /v1/emails/scheduled/:email_id": { success: 200, create: createScheduledEmail },
  "POST /v1/emails/scheduled/:email_id/send-now": { success: 200, create: createScheduledEmail },
  "POST /v1/emails/:email_id/retry": { success: 202, create: createFailedEmail },
  "GET /v1/emails/updates": { success: 200, query: "?since=2026-01-01T00:00:00Z" },
  "GET /v1/emails/search": { success: 200 },
  "GET /v1/emails/saved-searches": { success: 200 },
  "PUT /v1/emails/saved-searches": { success: 200, body: () => ({ searches: [{ name: "Mine" }] }) },
  "GET /v1/workspaces/": { success: 200 },
  "GET /v1/workspaces/:workspace_id": { success: 200, create: workspaceOf },
  "GET /v1/workspaces/:workspace_id/usage": { success: 200, create: workspaceOf },
  "POST /v1/workspaces/": { success: 201, body: () => ({ name: "Another" }), only: "admins" },
  "PATCH /v1/workspaces/:workspace_id": { success: 200, create: workspaceOf, body: () => ({ name: "A name" }) },
  "GET /v1/workspaces/:workspace_id/invitations": { success: 200, create: workspaceOf },
  "DELETE /v1/workspaces/:workspace_id/invitations/:invitation_id": { success: 204, create: createInvitation },
  "POST /v1/invitations/:token/accept": { success: 200, create: createAcceptable, crossesWorkspaces: true },
  "GET /invitations/:token": { success: 404 },
  "POST /invitations/:token": { success: 404 },
  "GET /v1/workspaces/:workspace_id/members": { success: 200, create: workspaceOf },
  "PATCH /v1/workspaces/:workspace_id/members/:user_id": {
    success: 200,
    create: createMember,
    body: () => ({ role: "admin" }),
    beyond: "all",
  },
  "DELETE /v1/workspaces/:workspace_id/members/:user_id": {
    success: 204,
    create: createMember,
    beyond: ["team:manage"],
  },
  "DELETE /v1/workspaces/:workspace_id": { success: 204, create: workspaceOf, only: "owners", inNewWorkspace: true },
  "POST /v1/workspaces/:workspace_id/resume-bulk": { success: 200, create: workspaceOf, only: "owners" },
  "POST /v1/api-keys/": {
    success: 201,
    inNewWorkspace: true,
    body: () => ({ name: "A key" }),
    places: { domain_ids: { of: "domain", body: (_, id) => ({ name: "A key", domain_ids: [id] }) } },
  },
  "GET /v1/api-keys/": { success: 200 },
  "POST /v1/api-keys/:api_key_id/rotate": { success: 201, create: createKey, only: "maker" },
  "DELETE /v1/api-keys/:api_key_id": { success: 204, create: createKey },
  "POST /v1/domains/": { success: 201, body: () => ({ name: `${uniqueLocalPart()}.example` }) },
  "GET /v1/domains/": { success: 200 },
  "GET /v1/domains/:domain_id": { success: 200, create: createDomain },
  "GET /v1/domains/:domain_id/reports": { success: 200, create: createDomain },
  "GET /v1/domains/:domain_id/health": { success: 200, create: createDomain },
  "PATCH /v1/domains/:domain_id": { success: 200, create: createDomain, body: () => ({ setup: "manual" }) },
  "POST /v1/domains/:domain_id/verify": { success: 200, create: createDomain },
  "POST /v1/domains/:domain_id/dkim/rotate": { success: 200, create: createDomain },
  "DELETE /v1/domains/:domain_id": { success: 204, create: createDomain },
  ...transferCases,
  ...audienceCases,
  ...webhookCases,
  ...reportingCases,
  ...mailboxCases,
  ...forwardCases,
  ...inboxCases,
  "POST /v1/smtp-credentials/": {
    success: 201,
    create: createVerifiedDomain,
    body: (_, { domain_id }) => ({ domain_id }),
    beyond: ["emails:send"],
    places: { domain_id: { of: "domain", body: (_, id) => ({ domain_id: id }) } },
  },
  "GET /v1/smtp-credentials/": { success: 200 },
  "DELETE /v1/smtp-credentials/:credential_id": { success: 204, create: createCredential },
  "GET /v1/suppressions/": { success: 200 },
  "POST /v1/suppressions/": { success: 201, body: () => ({ email: `${uniqueLocalPart()}@example.org` }) },
  "POST /v1/suppressions/import": {
    success: 200,
    body: () => multipart(`email\n${uniqueLocalPart()}@example.org\n`).body,
    headers: multipart("").headers,
  },
  "DELETE /v1/suppressions/:email": { success: 204, create: createSuppression },
  "GET /v1/broadcasts/": { success: 200 },
  "POST /v1/broadcasts/": {
    success: 201,
    body: aBroadcast,
    places: {
      mailbox_id: { of: "mailbox", body: (of, id) => ({ ...aBroadcast(of), mailbox_id: id }) },
      contact_list_id: { of: "list", body: (of, id) => ({ ...aBroadcast(of), contact_list_id: id }) },
      segment_id: { of: "segment", body: (of, id) => ({ ...aBroadcast(of), segment_id: id }) },
    },
  },
  "GET /v1/broadcasts/:broadcast_id": { success: 200, create: createBroadcast },
  "PATCH /v1/broadcasts/:broadcast_id": { success: 200, create: createBroadcast, body: () => ({ name: "New name" }) },
  "POST /v1/broadcasts/:broadcast_id/copy": { success: 201, create: createBroadcast },
  "DELETE /v1/broadcasts/:broadcast_id": { success: 204, create: createBroadcast },
  "POST /v1/broadcasts/:broadcast_id/send": { success: 200, create: createReadyBroadcast },
  "POST /v1/broadcasts/:broadcast_id/promote/:variant_id": { success: 200, create: createSampledBroadcast },
  "POST /v1/broadcasts/:broadcast_id/test": {
    success: 202,
    create: createReadyBroadcast,
    body: () => ({ to: ["delivered@simulator.test"] }),
    places: {
      variant_id: {
        of: "variant",
        body: (_, id) => ({ to: ["delivered@simulator.test"], variant_id: id }),
      },
    },
  },
  "GET /v1/broadcasts/:broadcast_id/audience": { success: 200, create: createBroadcast },
  "GET /v1/broadcasts/:broadcast_id/recipients": { success: 200, create: createBroadcast },
  "GET /v1/broadcasts/:broadcast_id/skipped": { success: 200, create: createBroadcast },
  "GET /v1/broadcasts/:broadcast_id/top-links": { success: 200, create: createBroadcast },
  "POST /v1/broadcasts/:broadcast_id/cancel": { success: 200, create: createSendingBroadcast },
  "POST /v1/broadcasts/:broadcast_id/pause": { success: 200, create: createSendingBroadcast },
  "POST /v1/broadcasts/:broadcast_id/resume": { success: 200, create: createSendingBroadcast },
  "GET /v1/broadcasts/:broadcast_id/variants": { success: 200, create: createVariant },
  "POST /v1/broadcasts/:broadcast_id/variants": {
    success: 201,
    create: createBroadcast,
    body: () => ({ label: "A", subject: "News" }),
  },
  "PATCH /v1/broadcasts/:broadcast_id/variants/:variant_id": {
    success: 200,
    create: createVariant,
    body: () => ({ weight: 2 }),
  },
  "DELETE /v1/broadcasts/:broadcast_id/variants/:variant_id": { success: 204, create: createVariant },
  ...adminCases(createMember),
  ...compatCases(createScheduledEmail),
  "POST /v1/broadcasts/:broadcast_id/web-version": { success: 200, create: createBroadcast },
  "DELETE /v1/broadcasts/:broadcast_id/web-version": { success: 200, create: createBroadcast },
  ...pictureCases,
  "POST /v1/templates/": { success: 201, body: () => ({ name: "A template" }) },
  "GET /v1/templates/": { success: 200 },
  "GET /v1/templates/:template_id": { success: 200, create: createTemplate },
  "PATCH /v1/templates/:template_id": { success: 200, create: createTemplate, body: () => ({ name: "New name" }) },
  "DELETE /v1/templates/:template_id": { success: 204, create: createTemplate },
  "POST /v1/templates/:template_id/duplicate": { success: 201, create: createTemplate },
  "POST /v1/templates/:template_id/preview": { success: 200, create: createTemplate, body: () => ({}) },
  "POST /v1/contacts/": { success: 201, body: () => ({ name: "A list" }) },
  "GET /v1/contacts/": { success: 200 },
  "GET /v1/contacts/:list_id": { success: 200, create: createList },
  "PATCH /v1/contacts/:list_id": { success: 200, create: createList, body: () => ({ name: "Another name" }) },
  "DELETE /v1/contacts/:list_id": { success: 204, create: createList },
  "POST /v1/contacts/:list_id/contacts": { success: 201, create: createList, body: newContact },
  "PUT /v1/contacts/:list_id/contacts": { success: 201, create: createList, body: newContact },
  "GET /v1/contacts/:list_id/contacts/:contact_id": { success: 200, create: createContact },
  "PATCH /v1/contacts/:list_id/contacts/:contact_id": {
    success: 200,
    create: createContact,
    body: () => ({ name: "Ada" }),
  },
  "DELETE /v1/contacts/:list_id/contacts/:contact_id": { success: 204, create: createContact },
  "POST /v1/contacts/:list_id/upload": {
    success: 200,
    create: createList,
    body: () => multipart(`email\n${uniqueLocalPart()}@example.org\n`).body,
    headers: multipart("").headers,
  },
  "POST /v1/contacts/:list_id/send": {
    success: 200,
    create: createContact,
    body: (of, { list_id = "" }) => ({
      contact_list_id: parseUuid(list_id) ?? crypto.randomUUID(),
      mailbox_id: of.mailboxId,
      subject: "A subject",
      text: "A text.",
    }),
  },
  "GET /v1/contacts/:list_id/export": { success: 200, create: createList },
};
