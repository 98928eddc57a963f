import { multipart } from "../../../audience/contacts/csv-support.ts";
import { aRawMessage, deliver } from "../../../mailboxes/inbound/support.ts";
import { runOutboxAt } from "../../../support/run-outbox-at.ts";
import type { TestWorkspace } from "../../../support/workspace.ts";
import { type Attack, anAddress, posting, postingTo, textOf } from "./attack.ts";
import { deleteObjects } from "./delete-objects.ts";

/** A quota that an attack reaches after some messages, in bytes. */
const QUOTA = 20_000_000;
/** A message of which the quota admits four, in bytes. */
const MESSAGE_BYTES = 4_900_000;
/** A text of which an email has room for the HTML too, in bytes. */
const SENT_BYTES = 2_400_000;

const aLocalPart = () => `m${crypto.randomUUID()}`;
const inboxOf = async ({ mailboxId }: TestWorkspace) => `/v1/inbox/${mailboxId}`;
const limitMailbox = (attacker: TestWorkspace) =>
  attacker.call("PATCH", `/v1/mailboxes/${attacker.mailboxId}`, { quota_bytes: QUOTA });
const ofInbox = (
  operation: string,
  body: (attacker: TestWorkspace, n: number) => unknown,
  more: Omit<Attack, "operation" | "prepare"> = {},
): Attack => {
  const [method = "", suffix = ""] = operation.split(" ");
  const create = async (attacker: TestWorkspace) => `${await inboxOf(attacker)}${suffix}`;
  return postingTo(`${method} /v1/inbox/:mailbox_id${suffix}`, create, body, more);
};
const aRule = (attacker: TestWorkspace, action: object) => ({
  domain_id: attacker.domainId,
  match: { from: anAddress(), to: anAddress(), subject_contains: textOf(998) },
  action,
});
const CONDITIONS = Array.from({ length: 20 }, () => ({ field: "subject", op: "contains", value: textOf(250) }));

/** Receives a message, and returns the path of the notes of its conversation. */
async function notesOf(attacker: TestWorkspace): Promise<string> {
  await deliver(attacker.mailbox, aRawMessage({}));
  const path = await inboxOf(attacker);
  const { items } = await (await attacker.get(`${path}/messages`)).json<{ items: { thread_id: string }[] }>();
  return `${path}/threads/${items[0]?.thread_id}/notes`;
}

/** Attacks by mailboxes, forwarding rules and what is in a mailbox. */
export const mailboxAttacks: readonly Attack[] = [
  posting(
    "POST /v1/mailboxes/",
    ({ domainId }) => ({ domain_id: domainId, local_part: aLocalPart(), display_name: textOf(320) }),
    { budgets: { mailboxes: 6 } },
  ),
  postingTo(
    "POST /v1/mailboxes/:mailbox_id/aliases",
    async ({ mailboxId }) => `/v1/mailboxes/${mailboxId}/aliases`,
    ({ domain }) => ({ address: `${aLocalPart()}@${domain}` }),
    { calls: 110 },
  ),
  postingTo(
    "POST /v1/mailboxes/:mailbox_id/app-passwords",
    async ({ mailboxId }) => `/v1/mailboxes/${mailboxId}/app-passwords`,
    () => ({ name: textOf(100) }),
    { calls: 25 },
  ),
  posting(
    "POST /v1/forwarding-rules/",
    (attacker) => aRule(attacker, { type: "mailbox", target: attacker.mailboxId }),
    { budgets: { forwarding_rules: 6 } },
  ),
  posting("POST /v1/forwarding-rules/", (attacker) => aRule(attacker, { type: "address", target: anAddress() }), {
    way: "to new outside addresses",
    budgets: { forward_targets: 6 },
  }),
  ofInbox(
    "POST /filters",
    () => ({ name: textOf(320), match: { mode: "all", conditions: CONDITIONS }, actions: [{ type: "flag" }] }),
    {
      calls: 110,
    },
  ),
  ofInbox("POST /folders", () => ({ name: textOf(200) }), { calls: 510 }),
  ofInbox("POST /labels", () => ({ name: textOf(200), color: "#000000" }), { calls: 210 }),
  ofInbox("POST /saved-replies", () => ({ name: textOf(200), text: textOf(10_000) }), { calls: 110 }),
  postingTo("POST /v1/inbox/:mailbox_id/threads/:thread_id/notes", notesOf, () => ({ text: textOf(5_000) }), {
    calls: 210,
  }),
  {
    operation: "DELETE /v1/inbox/:mailbox_id/threads/:thread_id/notes/:note_id",
    way: "of a new one",
    prepare: async (attacker) => {
      const path = await notesOf(attacker);
      return async () => {
        const note = await (await attacker.post(path, { text: textOf(5_000) })).json<{ id: string }>();
        return attacker.call("DELETE", `${path}/${note.id}`);
      };
    },
  },
  ofInbox("PUT /blocked-senders", () => ({ emails: Array.from({ length: 1_000 }, anAddress) }), { calls: 6 }),
  ofInbox("PUT /auto-reply", () => ({ is_active: true, subject: textOf(500), text: textOf(20_000) })),
  {
    operation: "POST /v1/inbox/:mailbox_id/drafts",
    calls: 12,
    prepare: async (attacker) => {
      await limitMailbox(attacker);
      const path = `${await inboxOf(attacker)}/drafts`;
      return () => attacker.post(path, { subject: "A draft", text: textOf(MESSAGE_BYTES) });
    },
  },
  {
    operation: "PUT /v1/inbox/:mailbox_id/drafts/:uid",
    calls: 12,
    finish: deleteObjects,
    prepare: async (attacker) => {
      await limitMailbox(attacker);
      const path = `${await inboxOf(attacker)}/drafts`;
      let { uid } = await attacker.create<{ uid: number }>(path, { subject: "A draft" });
      return async () => {
        const response = await attacker.call("PUT", `${path}/${uid}`, {
          subject: "A draft",
          text: textOf(MESSAGE_BYTES),
        });
        if (response.ok) ({ uid } = await response.clone().json<{ uid: number }>());
        return response;
      };
    },
  },
  {
    operation: "POST /v1/inbox/:mailbox_id/files",
    calls: 12,
    finish: deleteObjects,
    prepare: async (attacker) => {
      await limitMailbox(attacker);
      const path = `${await inboxOf(attacker)}/files`;
      return () => {
        const { body, headers } = multipart(textOf(MESSAGE_BYTES));
        return attacker.call("POST", path, body, headers);
      };
    },
  },
  {
    operation: "POST /v1/inbox/:mailbox_id/import",
    calls: 12,
    prepare: async (attacker) => {
      await limitMailbox(attacker);
      const path = `${await inboxOf(attacker)}/import`;
      return async () => {
        const archive = `From ada@example.org Sat Nov 21 14:12:48 2026\r\nSubject: ${crypto.randomUUID()}\r\n\r\n${textOf(MESSAGE_BYTES)}\r\n\r\n`;
        const headers = { "Content-Type": "application/mbox", "Content-Length": String(archive.length) };
        const response = await attacker.call("POST", path, archive, headers);
        const { imported, errors } = await response.clone().json<{ imported: number; errors: string[] }>();
        // An import says in its result that the mailbox is full.
        return imported === 1 ? response : Response.json({ detail: errors.join() }, { status: 507 });
      };
    },
  },
  ofInbox("POST /send", () => ({ to: ["delivered@simulator.test"], subject: textOf(998), text: textOf(SENT_BYTES) }), {
    ...{ calls: 6, finish: () => runOutboxAt(Date.now(), {}, ["deliver", "sent-copy"]) },
  }),
  {
    operation: "POST /gateway/mail",
    way: "which strangers send to a mailbox",
    prepare: async (attacker) => {
      await limitMailbox(attacker);
      return async (n) => {
        const raw = aRawMessage({ To: attacker.mailbox, Subject: `${n} ${textOf(900)}` });
        const refusal = await deliver(attacker.mailbox, raw).catch((error: Error) => error.message);
        return Response.json({ detail: refusal }, { status: refusal === null ? 200 : 507 });
      };
    },
  },
];
