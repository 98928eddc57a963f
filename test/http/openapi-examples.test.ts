import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { TOTP_PURPOSE } from "../../src/identity/sign-ins/second-factor/verify.ts";
import { seal } from "../../src/lib/secret-box.ts";
import { aContactList, runBroadcasts } from "../audience/broadcasts/support.ts";
import { multipart } from "../audience/contacts/csv-support.ts";
import { database } from "../support/databases.ts";
import { emailOf, insertInvitation } from "../support/invitations.ts";
import { createGrant } from "../support/oauth.ts";
import {
  bodySchema,
  dereference,
  exampleOf,
  isSuccess,
  listOperations,
  type OpenApiDocument,
  type Operation,
  readOpenApi,
  refusalOf,
} from "../support/openapi.ts";
import { withSettings } from "../support/openapi-callers.ts";
import { runOutboxAt } from "../support/run-outbox-at.ts";
import { aSession } from "../support/sessions.ts";
import { aToken, insertDomain, insertTransfer } from "../support/transfers.ts";
import { aMember, aWorkspace, type TestWorkspace, testContext } from "../support/workspace.ts";
import { adminPreparations } from "./admin-preparations.ts";
import { audiencePreparations } from "./audience-preparations.ts";
import { contentPreparations } from "./content-preparations.ts";
import { forwardPreparations } from "./forward-preparations.ts";
import { inboxPreparations } from "./inbox-preparations.ts";
import { reportingPreparations } from "./reporting-preparations.ts";
import { webhookPreparations } from "./webhook-preparations.ts";

/** The time of the examples. */
const NOW = new Date("2026-11-21T15:00:00Z");
const document = await readOpenApi();
const operations = listOperations(document);
let workspace: TestWorkspace;
let session: Awaited<ReturnType<typeof aSession>>;

beforeEach(async () => {
  vi.useFakeTimers({ now: NOW, toFake: ["Date"] });
  workspace = await aWorkspace({ domain: "example.com" });
  session = await aSession(workspace);
  await database.run("UPDATE users SET is_platform_admin = 1 WHERE id = ?1", [workspace.userId]);
});

afterEach(async () => {
  vi.useRealTimers();
  await workspace.call("DELETE", `/v1/workspaces/${workspace.workspaceId}`);
});

/** Creates a resource by an operation's own example, with some fields changed, and returns its id. */
async function create(path: string, changes: object = {}): Promise<string> {
  const example = requestExample(operations.find(([name]) => name === `POST ${path}`)?.[1]) as object;
  return (await workspace.create(path, { ...example, ...changes })).id;
}

const createList = async () => ({ list_id: await create("/v1/contacts/") });

const createContact = async () => {
  const { list_id } = await createList();
  const contact = { email: "ada@example.org", name: "Ada Lovelace", metadata: { city: "London", plan: "gold" } };
  return { list_id, contact_id: (await workspace.create(`/v1/contacts/${list_id}/contacts`, contact)).id };
};

const mailbox = async () => ({ mailbox_id: workspace.mailboxId });
const apiKey = async () => ({ api_key_id: await create("/v1/api-keys/") });
const email = async () => ({ email_id: await create("/v1/emails/") });
const scheduled = async () => ({ email_id: await schedule() });

/** Makes an entry of the suppression list, and of the audit log. */
const suppress = async () => {
  await workspace.post("/v1/suppressions/", { email: "ada@example.org" });
  return {};
};

/** Creates what the path of an operation names, and returns the ids by path parameter. */
const preparations: Record<string, () => Promise<Record<string, string>>> = {
  ...adminPreparations(() => workspace),
  ...inboxPreparations(() => workspace),
  ...reportingPreparations(() => workspace),
  ...{ rescheduleEmail: scheduled, cancelScheduledEmail: scheduled, sendScheduledEmailNow: scheduled },
  ...{ listScheduledEmails: scheduled, listApiKeys: apiKey, rotateApiKey: apiKey, revokeApiKey: apiKey },
  ...{ getEmail: email, getEmailSource: email, listEmailEvents: email },
  ...audiencePreparations(create, createList, () => workspace),
  ...forwardPreparations(() => workspace),
  ...webhookPreparations(create, () => workspace),
  listInboxScheduled: async () => {
    await schedule();
    return { mailbox_id: workspace.mailboxId };
  },
  retryEmail: async () => {
    const email_id = await create("/v1/emails/", { to: [{ email: "bounced@simulator.test" }] });
    await runOutboxAt(Date.now());
    return { email_id };
  },
  listEmails: async () => ({ email_id: await create("/v1/emails/") }),
  listEmailUpdates: async () => ({ email_id: await create("/v1/emails/") }),
  searchEmails: async () => ({ email_id: await create("/v1/emails/") }),
  deleteDomain: async () => ({ domain_id: await create("/v1/domains/") }),
  createSmtpCredential: async () => ({ domain_id: workspace.domainId }),
  listSmtpCredentials: async () => ({
    credential_id: await create("/v1/smtp-credentials/", { domain_id: workspace.domainId }),
    domain_id: workspace.domainId,
  }),
  revokeSmtpCredential: async () => ({
    credential_id: await create("/v1/smtp-credentials/", { domain_id: workspace.domainId }),
  }),
  getMailbox: mailbox,
  ...{ updateMailbox: mailbox, deleteMailbox: mailbox },
  replaceMailboxAssignees: async () => ({ mailbox_id: workspace.mailboxId, user_id: workspace.userId }),
  listGrants: () => createGrant(workspace),
  revokeGrant: () => createGrant(workspace),
  removeSuppression: suppress,
  listPlatformAuditEntries: suppress,
  listAuditEntries: suppress,
  updateMember: async () => ({ user_id: workspace.userId }),
  sendInvitation: async () => ({ workspace_id: workspace.workspaceId }),
  listInvitations: async () => ({ invitation_id: (await insertInvitation(workspace, { email: "a@example.org" })).id }),
  revokeInvitation: async () => ({ invitation_id: (await insertInvitation(workspace, { email: "a@example.org" })).id }),
  acceptInvitation: async () => {
    const token = exampleIds(document).token;
    await insertInvitation(await aWorkspace(), { email: await emailOf(workspace.userId), token });
    return { ...(token === undefined ? {} : { token }) } as Record<string, string>;
  },
  removeMember: async () => ({ user_id: (await aMember(workspace, "member")).userId }),
  createDomainTransfer: async () => {
    await createAda();
    return {};
  },
  listIncomingDomainTransfers: () => createIncoming(),
  listOutgoingDomainTransfers: async () => ({
    transfer_id: (await insertTransfer({ source: workspace, email: await createAda() })).id,
  }),
  acceptDomainTransfer: () => createIncoming(),
  acceptDomainTransferById: () => createIncoming(),
  declineDomainTransfer: () => createIncoming(),
  cancelDomainTransfer: async () => ({
    transfer_id: (await insertTransfer({ source: workspace, email: await createAda() })).id,
  }),
  stopDomainTransfer: async () => {
    const { workspaceNumber } = await aWorkspace();
    const transfer = { source: workspace, email: await createAda(), targetWorkspace: workspaceNumber };
    return { stop_token: await aToken("stop", (await insertTransfer(transfer)).id) };
  },
  deleteAccount: async () => {
    session = await aSession({ ...workspace, userId: (await aMember(workspace, "member")).userId });
    await database.run("UPDATE sessions SET reauthenticated_at = ?1", [Date.now()]);
    return {};
  },
  forceDomainTransfer: async () => {
    await createAda();
    await database.run("UPDATE sessions SET reauthenticated_at = ?1", [Date.now()]);
    return { domain_id: (await insertDomain(workspace)).id };
  },
  listSuppressions: suppress,
  listBroadcasts: async () => ({ broadcast_id: await create("/v1/broadcasts/") }),
  getBroadcast: async () => ({ broadcast_id: await create("/v1/broadcasts/") }),
  updateBroadcast: async () => ({ broadcast_id: await create("/v1/broadcasts/") }),
  deleteBroadcast: async () => ({ broadcast_id: await create("/v1/broadcasts/") }),
  sendBroadcast: async () => ({ broadcast_id: await createReadyBroadcast() }),
  sendBroadcastTest: async () => ({ broadcast_id: await createReadyBroadcast() }),
  promoteBroadcastVariant: createSampledBroadcast,
  getBroadcastAudience: async () => ({ broadcast_id: await createReadyBroadcast() }),
  listBroadcastRecipients: async () => ({ broadcast_id: await createSentBroadcast() }),
  duplicateBroadcast: async () => ({ broadcast_id: await createReadyBroadcast() }),
  listBroadcastSkipped: async () => ({ broadcast_id: await createSkippingBroadcast() }),
  listBroadcastTopLinks: async () => ({ broadcast_id: await createSentBroadcast() }),
  cancelBroadcast: async () => ({ broadcast_id: await createSendingBroadcast() }),
  pauseBroadcast: async () => ({ broadcast_id: await createSendingBroadcast() }),
  resumeBroadcast: async () => ({ broadcast_id: await createSendingBroadcast() }),
  ...{ listBroadcastVariants: createVariant, updateBroadcastVariant: createVariant },
  createBroadcastVariant: async () => ({ broadcast_id: await create("/v1/broadcasts/") }),
  deleteBroadcastVariant: () => createVariant(),
  ...contentPreparations(create, () => workspace),
  createBroadcastWebVersion: async () => ({ broadcast_id: await create("/v1/broadcasts/") }),
  removeBroadcastWebVersion: async () => ({ broadcast_id: await create("/v1/broadcasts/") }),
  listContactLists: createList,
  getContactList: createContact,
  updateContactList: createList,
  deleteContactList: createList,
  addContact: createList,
  sendToContactList: async () => ({ ...(await createContact()), mailbox_id: workspace.mailboxId }),
  importContacts: createList,
  exportContacts: createContact,
  upsertContact: createList,
  getContact: createContact,
  updateContact: createContact,
  deleteContact: createContact,
  replaceMailboxPassword: async () => ({ mailbox_id: workspace.mailboxId }),
  createMailboxSession: () => signInToMailbox(),
  refreshMailboxSession: () => signInToMailbox(),
  addTotp: () => setTotp(null),
  removeTotp: () => setTotp(1),
  verifyIdentity: () => setTotp(1),
  getSavedSearches: async () => {
    await workspace.call("PUT", "/v1/emails/saved-searches", requestExample(byId("replaceSavedSearches")));
    return {};
  },
};

/** Status of operations with several kinds of success that the last does not have. */
const statuses: Record<string, string> = { deleteInboxMessage: "200", importInbox: "200" };

/** A part of the files that operations return. */
const files: Record<string, string> = {
  getEmailSource: "Subject: Your receipt\r\n",
  getInboxMessageSource: "Subject: A subject\r\n",
  getInboxAttachment: "1,2",
  exportInbox: "PK",
};

/** Creates the account of the examples that gets domains, once, and returns its address. */
async function createAda(): Promise<string> {
  const email = "ada@example.org";
  const known = await database.row("SELECT 1 FROM users WHERE email_key = ?1", [email]);
  if (!known) await aWorkspace({ email });
  return email;
}

/** Creates a transfer of another workspace to the caller. */
async function createIncoming(): Promise<Record<string, string>> {
  const email = await emailOf(workspace.userId);
  const { id, domainId } = await insertTransfer({ source: await aWorkspace(), email });
  return { transfer_id: id, domain_id: domainId, token: await aToken("accept", id) };
}

async function createSendingBroadcast(): Promise<string> {
  const id = await create("/v1/broadcasts/");
  await database.run("UPDATE broadcasts SET status = 'sending' WHERE id = ?1", [id]);
  return id;
}

const createReadyBroadcast = async () =>
  create("/v1/broadcasts/", { contact_list_id: await aContactList(workspace, 1) });

async function createSentBroadcast(): Promise<string> {
  const id = await createReadyBroadcast();
  await workspace.post(`/v1/broadcasts/${id}/send`, undefined);
  await runBroadcasts(Date.now(), 2);
  await database.run(
    "INSERT INTO broadcast_clicks (broadcast, url, workspace, clicks) SELECT n, 'https://example.com/', workspace, 12 FROM broadcasts WHERE id = ?1",
    [id],
  );
  return id;
}

async function createSkippingBroadcast(): Promise<string> {
  const contact_list_id = await aContactList(workspace, 2);
  await workspace.post("/v1/suppressions/", { email: "delivered+1@simulator.test", reason: "bounce" });
  const id = await create("/v1/broadcasts/", { contact_list_id });
  await workspace.post(`/v1/broadcasts/${id}/send`, undefined);
  await runBroadcasts(Date.now(), 2);
  return id;
}

async function createSampledBroadcast(): Promise<Record<string, string>> {
  const ids = await createVariant();
  const { list_id } = await createList();
  const fanOut = { lastContact: 0, split: { isSample: true, arms: [], eligible: 0 }, isComplete: true };
  const sql = `UPDATE broadcasts SET status = 'sent', ab_test_pct = 50, fan_out = json_set(?2, '$.list', l.n)
    FROM contact_lists l WHERE broadcasts.id = ?1 AND l.id = ?3`;
  const stored = JSON.stringify({ ...fanOut, wave: { kind: "first" }, cursor: null });
  await database.prepare(sql).bind(ids.broadcast_id, stored, list_id).run();
  return ids;
}

async function createVariant(): Promise<Record<string, string>> {
  const broadcast_id = await create("/v1/broadcasts/");
  const body = { label: "A", subject: "News" };
  return { broadcast_id, variant_id: (await workspace.create(`/v1/broadcasts/${broadcast_id}/variants`, body)).id };
}

/** Sets the password of the examples on the mailbox of the examples, and signs in. */
async function signInToMailbox(): Promise<Record<string, string>> {
  const password = requestExample(byId("replaceMailboxPassword"));
  await workspace.call("PUT", `/v1/mailboxes/${workspace.mailboxId}/password`, password);
  const signedIn = await workspace.post("/v1/webmail/login", requestExample(byId("createMailboxSession")));
  const { refresh_token } = await signedIn.json<{ refresh_token: string }>();
  return { refresh_token };
}

/** Stores the TOTP secret of the examples, whose code is valid at NOW. */
async function setTotp(enabledAt: number | null): Promise<Record<string, string>> {
  const { db, settings } = testContext();
  const secret = new TextEncoder().encode("12345678901234567890") as Uint8Array<ArrayBuffer>;
  const sealed = await seal(settings.masterKeys, TOTP_PURPOSE, workspace.userId, secret);
  await db
    .prepare("INSERT INTO user_totp (user_id, secret, created_at, enabled_at) VALUES (?1, ?2, 1, ?3)")
    .bind(workspace.userId, sealed, enabledAt)
    .run();
  return {};
}

const schedule = () => create("/v1/emails/", { send_at: "2026-11-25T09:00:00Z" });
const byId = (id: string) => operations.find(([, operation]) => operation.operationId === id)?.[1];

function requestExample(operation: Operation | undefined): unknown {
  const schema = bodySchema(operation?.requestBody);
  return schema && exampleOf(dereference(document, schema));
}

/** Returns the example of an archive that an operation reads, with its headers, or undefined. */
function archiveExample(requestBody: Operation["requestBody"]) {
  const schema = requestBody?.content["application/mbox"]?.schema;
  if (!schema) return undefined;
  const body = String(exampleOf(schema));
  return { body, headers: { "Content-Type": "application/mbox", "Content-Length": String(body.length) } };
}

/** Returns the example of a file that an operation reads, or undefined. */
function fileExample(requestBody: Operation["requestBody"]): string | undefined {
  const file = requestBody?.content["multipart/form-data"]?.schema.properties?.file;
  return file && String(exampleOf(file));
}

/** Replaces the ids of the examples by those that exist. */
function withIds(text: string, ids: Record<string, string>): string {
  const known: Record<string, string> = {
    domain_id: workspace.domainId,
    workspace_id: workspace.workspaceId,
    session_id: session.sessionId,
    ...ids,
  };
  // A short example, as a UID, occurs in other texts too.
  const long = Object.entries(exampleIds(document)).filter(([, id]) => id.length > 20);
  return long.reduce((all, [name, id]) => all.replaceAll(id, known[name] ?? id), text);
}

function exampleIds(document: OpenApiDocument): Record<string, string> {
  const parameters = listOperations(document).flatMap(([, { parameters = [] }]) => parameters);
  const inPath = parameters.filter((parameter) => parameter.in === "path");
  return {
    ...Object.fromEntries(inPath.map(({ name, example = "" }) => [name, example])),
    user_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a05",
    refresh_token: "n2cZhPrAAqdzN9UrQmXoF0vKcW7Y6b1sT4eJ8hLxGiE",
  };
}

/** Returns the names of the fields of a value, of lists by their first item. */
function fieldsOf(value: unknown, path = ""): string[] {
  if (Array.isArray(value)) return fieldsOf(value[0], `${path}[]`);
  if (typeof value !== "object" || value === null) return [path];
  return Object.entries(value).flatMap(([name, inner]) => fieldsOf(inner, `${path}.${name}`));
}

describe("the examples of /openapi.json", () => {
  it.each(operations)(
    "%s: the example request succeeds and its response has the fields of the example",
    async (name, operation) => {
      const { operationId, parameters = [], requestBody, responses } = operation;
      const ids = (await preparations[operationId]?.()) ?? {};
      const [method = "", path = ""] = name.split(" ");
      const inPath = parameters.filter((parameter) => parameter.in === "path");
      const required = parameters.filter((parameter) => parameter.in === "query" && parameter.required);
      for (const parameter of inPath) expect(parameter.example, `${name} ${parameter.name}`).toBeTruthy();
      const filled = inPath.reduce(
        (all, { name, example = "" }) => all.replace(`{${name}}`, ids[name] ?? example),
        path,
      );
      const query = new URLSearchParams(required.map(({ name, schema }) => [name, String(exampleOf(schema))]));
      const example = requestExample(operation);
      const file = fileExample(requestBody);
      const archive = archiveExample(requestBody);
      if (requestBody && file === undefined && archive === undefined) {
        expect(example, `${name} has no example of its body`).toBeDefined();
        const schema = dereference(document, bodySchema(requestBody) ?? {});
        expect(refusalOf(schema, example), name).toBeNull();
      }
      const url = withIds(query.size > 0 ? `${filled}?${query}` : filled, ids);
      const json = example === undefined ? undefined : withIds(JSON.stringify(example), ids);
      const { body, headers } = archive ?? (file === undefined ? { body: json, headers: {} } : multipart(file));
      const inHeader = parameters.filter((parameter) => parameter.in === "header" && parameter.required);
      for (const { name, example = "" } of inHeader) Object.assign(headers, { [name]: example });
      // Operations with a `security` of their own take a session, or no credentials.
      const own = withSettings(operationId, { session, workspace });
      const api = own ?? (operation.security ? session : workspace);
      const response = await api.call(method, url, body, headers);
      const text = await response.text();
      const successes = Object.keys(responses).filter(isSuccess);
      const status = statuses[operationId] ?? successes.at(-1);
      expect(`${response.status}`, text).toBe(status);
      // The body of this one is the messages of a socket.
      if (response.webSocket) return expect(status).toBe("101");
      const csv = responses[response.status]?.content?.["text/csv"]?.schema;
      if (csv) return expect(text).toBe(exampleOf(csv));
      const schema = bodySchema(responses[response.status]);
      const types = Object.keys(responses[response.status]?.content ?? {});
      if (!schema && types.length > 0) return expect(text).toContain(files[operationId]);
      if (!schema) return expect(text).toBe("");
      const complete = dereference(document, schema);
      const expected = exampleOf(complete);
      expect(expected, `${name} has no example of its response`).toBeDefined();
      expect(refusalOf(complete, expected), `${name}: the example`).toBeNull();
      expect(refusalOf(complete, JSON.parse(text)), `${name}: ${text}`).toBeNull();
      // The keys of headers and settings of other callers differ; all other names are those of the schema.
      expect([...new Set(fieldsOf(JSON.parse(text)))].sort(), text).toEqual([...new Set(fieldsOf(expected))].sort());
    },
  );
});
