import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { multipart } from "../audience/contacts/csv-support.ts";
import { startedImport } from "../mailboxes/inbox/started-import.ts";
import { aMessage } from "../mailboxes/mailbox-store/support.ts";
import type { TestWorkspace } from "../support/workspace.ts";
import type { RouteCase } from "./route-case.ts";

const MAILBOX = "/v1/inbox/:mailbox_id";

const mailboxOf = async ({ mailboxId }: TestWorkspace) => ({ mailbox_id: mailboxId });

/** Stores a message in the mailbox of a workspace and returns the parameters of its paths. */
const createMessage = async ({ mailboxId }: TestWorkspace, folder = "INBOX") => {
  const object = `mailboxes/${mailboxId}/${crypto.randomUUID()}.eml`;
  await env.CONTENT.put(object, "Subject: a\r\n\r\nbody");
  const part = { partId: "1", contentType: "text/plain", charset: null, encoding: "7bit", at: 14, length: 4, size: 4 };
  const parts = [{ ...part, filename: null, contentId: null, use: "text" as const }];
  const message = aMessage({ object, folder, headerSize: 14, parts });
  const added = await env.MAILBOX.getByName(mailboxId).add(message, null);
  if (added.result !== "added") throw new Error(added.result);
  return { mailbox_id: mailboxId, uid: String(added.uid), part_id: "1", thread_id: added.threadId };
};

const createFolder = async ({ mailboxId }: TestWorkspace) => {
  const name = crypto.randomUUID();
  await env.MAILBOX.getByName(mailboxId).createFolder(name);
  return { mailbox_id: mailboxId, name };
};

const createLabel = async ({ mailboxId }: TestWorkspace) => {
  const id = crypto.randomUUID();
  const store = env.MAILBOX.getByName(mailboxId);
  // A mailbox has at most 200 labels.
  for (const label of await store.listLabels()) await store.deleteLabel(label.id);
  await store.saveLabel({ id, name: id, color: "#000000" }, true);
  return { mailbox_id: mailboxId, label_id: id };
};

const createSavedReply = async ({ mailboxId }: TestWorkspace) => {
  const id = crypto.randomUUID();
  const store = env.MAILBOX.getByName(mailboxId);
  // A mailbox has at most 100 saved replies.
  for (const reply of await store.listSavedReplies()) await store.deleteSavedReply(reply.id);
  await store.saveReply({ id, name: id, text: "Hello {{name}}" }, true);
  return { mailbox_id: mailboxId, reply_id: id };
};

const createNote = async (workspace: TestWorkspace) => {
  const ids = await createMessage(workspace);
  const by = { id: workspace.userId, name: "Ada" };
  const result = await env.MAILBOX.getByName(workspace.mailboxId).changeThread(ids.thread_id ?? "", by, { note: "a" });
  return { ...ids, note_id: ("entries" in result && result.entries.at(-1)?.id) || "" };
};

const FILTER = {
  match: { mode: "all" as const, conditions: [{ field: "subject" as const, op: "contains" as const, value: "a" }] },
  actions: [{ type: "flag" as const }],
};

const withoutFilters = async ({ mailboxId }: TestWorkspace) => {
  const store = env.MAILBOX.getByName(mailboxId);
  // A mailbox has at most 100 filters.
  for (const filter of await store.listFilters()) await store.deleteFilter(filter.id);
  return { mailbox_id: mailboxId };
};

const createFilter = async (workspace: TestWorkspace) => {
  const path = await withoutFilters(workspace);
  const id = crypto.randomUUID();
  await env.MAILBOX.getByName(workspace.mailboxId).createFilter({
    ...{ id, name: null, ...FILTER, position: null, isActive: true },
  });
  return { ...path, filter_id: id };
};

const withoutRun = async ({ mailboxId }: TestWorkspace) => {
  const store = env.MAILBOX.getByName(mailboxId);
  while ((await store.filterRun())?.status === "running") await runDurableObjectAlarm(store);
  return { mailbox_id: mailboxId };
};

const createRun = async (workspace: TestWorkspace) => {
  const path = await withoutRun(workspace);
  await env.MAILBOX.getByName(workspace.mailboxId).startFilterRun("INBOX");
  return path;
};

const createImport = async ({ mailboxId }: TestWorkspace) => {
  const id = await startedImport(mailboxId);
  // A mailbox has at most five that run.
  await env.MAILBOX.getByName(mailboxId).endImport(id, "done", null);
  return { mailbox_id: mailboxId, import_id: id };
};

const ARCHIVE = "From ada@example.org Sat Nov 21 14:12:48 2026\r\nSubject: a\r\n\r\nbody\r\n\r\n";

const ofMailbox = (more: Partial<RouteCase> = {}): RouteCase => ({
  success: 200,
  only: "admins",
  create: mailboxOf,
  ...more,
});
const ofMessage = (more: Partial<RouteCase> = {}): RouteCase => ofMailbox({ create: createMessage, ...more });

const cases = {
  "GET /folders": ofMailbox(),
  "POST /folders": ofMailbox({ success: 201, body: () => ({ name: crypto.randomUUID() }) }),
  "PATCH /folders/:name": ofMailbox({ create: createFolder, body: () => ({ name: crypto.randomUUID() }) }),
  "DELETE /folders/:name": ofMailbox({ create: createFolder, success: 204 }),
  "GET /addresses": ofMailbox(),
  "GET /quota": ofMailbox(),
  "GET /storage-sections": ofMailbox(),
  "GET /blocked-senders": ofMailbox(),
  "PUT /blocked-senders": ofMailbox({ body: () => ({ emails: ["spam@example.org"] }) }),
  "GET /events": ofMailbox({ success: 101, headers: { Upgrade: "websocket" } }),
  "GET /export": ofMailbox(),
  "POST /import": ofMailbox({
    body: () => ARCHIVE,
    headers: { "Content-Type": "application/mbox", "Content-Length": String(ARCHIVE.length) },
  }),
  "GET /imports": ofMailbox(),
  "GET /imports/:import_id": ofMailbox({ create: createImport }),
  "GET /auto-reply": ofMailbox(),
  "PUT /auto-reply": ofMailbox({ body: () => ({ is_active: true, text: "I am away." }) }),
  "GET /labels": ofMailbox(),
  "POST /labels": ofMailbox({
    success: 201,
    create: async (workspace) => ({ mailbox_id: (await createLabel(workspace)).mailbox_id }),
    body: () => ({ name: crypto.randomUUID(), color: "#000000" }),
  }),
  "PATCH /labels/:label_id": ofMailbox({ create: createLabel, body: () => ({ color: "#ffffff" }) }),
  "DELETE /labels/:label_id": ofMailbox({ create: createLabel, success: 204 }),
  "GET /saved-replies": ofMailbox(),
  "POST /saved-replies": ofMailbox({
    success: 201,
    create: async (workspace) => ({ mailbox_id: (await createSavedReply(workspace)).mailbox_id }),
    body: () => ({ name: crypto.randomUUID(), text: "Hello" }),
  }),
  "PATCH /saved-replies/:reply_id": ofMailbox({ create: createSavedReply, body: () => ({ text: "Good day" }) }),
  "DELETE /saved-replies/:reply_id": ofMailbox({ create: createSavedReply, success: 204 }),
  "GET /filters": ofMailbox(),
  "POST /filters": ofMailbox({ success: 201, create: withoutFilters, body: () => FILTER }),
  "GET /filters/run": ofMailbox({ create: createRun }),
  "POST /filters/run": ofMailbox({ success: 202, create: withoutRun, body: () => ({ folder: "INBOX" }) }),
  "GET /filters/:filter_id": ofMailbox({ create: createFilter }),
  "PATCH /filters/:filter_id": ofMailbox({ create: createFilter, body: () => ({ is_active: false }) }),
  "DELETE /filters/:filter_id": ofMailbox({ create: createFilter, success: 204 }),
  "GET /messages": ofMailbox(),
  "GET /search": ofMailbox({ query: "?q=a" }),
  "GET /messages/:uid": ofMessage(),
  "GET /messages/:uid/raw": ofMessage(),
  "GET /attachments/:uid/:part_id": ofMessage(),
  "POST /messages/:uid/flags": ofMessage({ body: () => ({ seen: true }) }),
  "POST /messages/:uid/move": ofMessage({ body: () => ({ folder: "Archive" }) }),
  "POST /messages/:uid/spam": ofMessage(),
  "POST /messages/:uid/not-spam": ofMessage({ create: (workspace) => createMessage(workspace, "Spam") }),
  "DELETE /messages/:uid": ofMessage(),
  "POST /messages/batch": ofMailbox({ body: () => ({ uids: [1], action: "seen" }) }),
  "PUT /messages/:uid/labels": ofMessage({ body: () => ({ label_ids: [] }) }),
  "GET /threads/:thread_id": ofMessage(),
  "GET /threads": ofMailbox(),
  "GET /threads/:thread_id/state": ofMessage(),
  "PATCH /threads/:thread_id": ofMessage({ body: () => ({ closed: true }) }),
  "POST /threads/:thread_id/notes": ofMessage({ success: 201, body: () => ({ text: "A note" }) }),
  "DELETE /threads/:thread_id/notes/:note_id": ofMailbox({ create: createNote, success: 204 }),
  "GET /scheduled": ofMailbox(),
  "POST /send": ofMailbox({ success: 202, body: () => ({ to: ["friend@example.org"], text: "A text." }) }),
  "POST /files": ofMailbox({ success: 201, body: () => multipart("a file").body, headers: multipart("").headers }),
  "POST /drafts": ofMailbox({ success: 201, body: () => ({ subject: "A draft" }) }),
  "PUT /drafts/:uid": ofMessage({
    create: (workspace) => createMessage(workspace, "Drafts"),
    body: () => ({ subject: "A draft" }),
  }),
  "DELETE /drafts/:uid": ofMessage({ success: 204, create: (workspace) => createMessage(workspace, "Drafts") }),
};

/** The cases of the inbox API. Its callers are owners and admins, who may open every mailbox of their workspace. */
export const inboxCases: Record<string, RouteCase> = Object.fromEntries(
  Object.entries(cases).map(([route, one]) => [route.replace(" ", ` ${MAILBOX}`), one]),
);
