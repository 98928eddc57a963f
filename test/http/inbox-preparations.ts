import { aRawMessage, deliver } from "../mailboxes/inbound/support.ts";
import { startedImport } from "../mailboxes/inbox/started-import.ts";
import type { TestWorkspace } from "../support/workspace.ts";

type Ids = Record<string, string>;
interface Message {
  uid: number;
  thread_id: string;
}

const WITH_FILE = { "Content-Type": "multipart/mixed; boundary=b" };
const TEXT_AND_FILE = `--b\r\nContent-Type: text/plain\r\n\r\nThank you.\r\n--b\r\nContent-Type: text/csv\r\nContent-Disposition: attachment; filename="a.csv"\r\n\r\n1,2\r\n--b--\r\n`;

/** Returns functions that create what the operations of the inbox API name, by operation id, and return its ids. */
export function inboxPreparations(workspace: () => TestWorkspace): Record<string, () => Promise<Ids>> {
  const inbox = (suffix: string) => `/v1/inbox/${workspace().mailboxId}${suffix}`;
  const ids = (more: Ids = {}): Ids => ({ mailbox_id: workspace().mailboxId, ...more });
  const post = async <Body>(suffix: string, body?: object) => {
    return workspace().create<Body>(inbox(suffix), body);
  };
  const mailbox = async () => ids();
  const message = async () => {
    await deliver(workspace().mailbox, aRawMessage(WITH_FILE, TEXT_AND_FILE));
    const page = await (await workspace().get(inbox("/messages"))).json<{ items: Message[] }>();
    const [{ uid = 0, thread_id = "" } = {}] = page.items;
    return ids({ uid: String(uid), part_id: "2", thread_id });
  };
  const folder = async () => {
    await post("/folders", { name: "Projects" });
    return ids({ name: "Projects" });
  };
  const label = async () =>
    ids({ label_id: (await post<{ id: string }>("/labels", { name: "Bills", color: "#c0392b" })).id });
  const note = async () => {
    const { thread_id = "", ...rest } = await message();
    return {
      ...rest,
      thread_id,
      note_id: (await post<Ids>(`/threads/${thread_id}/notes`, { text: "A note" })).id ?? "",
    };
  };
  const closed = async () => {
    const found = await message();
    await workspace().call("PATCH", inbox(`/threads/${found.thread_id}`), { closed: true });
    return found;
  };
  const savedReply = async () =>
    ids({ reply_id: (await post<{ id: string }>("/saved-replies", { name: "Times", text: "Soon." })).id });
  const draft = async () => ids({ uid: String((await post<Message>("/drafts", { subject: "Draft" })).uid) });
  const filter = async () => {
    const match = { conditions: [{ field: "subject", op: "contains", value: "invoice" }] };
    const actions = [{ type: "move", folder: "Archive" }, { type: "stop" }];
    return ids({ filter_id: (await post<Ids>("/filters", { name: "Bills", match, actions })).id ?? "" });
  };
  const alias = async () => {
    const path = `/v1/mailboxes/${workspace().mailboxId}/aliases`;
    return ids({ alias_id: (await workspace().create(path, { address: `sales@${workspace().domain}` })).id });
  };
  const appPassword = async () => {
    return ids({
      app_password_id: (
        await workspace().create(`/v1/mailboxes/${workspace().mailboxId}/app-passwords`, { name: "Phone" })
      ).id,
    });
  };
  return {
    listInboxThreads: message,
    getInboxThreadState: closed,
    updateInboxThread: message,
    createInboxNote: message,
    deleteInboxNote: note,
    listInboxSavedReplies: savedReply,
    createInboxSavedReply: mailbox,
    updateInboxSavedReply: savedReply,
    deleteInboxSavedReply: savedReply,
    createAppPassword: mailbox,
    listAppPasswords: appPassword,
    deleteAppPassword: appPassword,
    createMailboxAlias: mailbox,
    listMailboxAliases: alias,
    deleteMailboxAlias: alias,
    listInboxFilters: filter,
    createInboxFilter: mailbox,
    getInboxFilter: filter,
    updateInboxFilter: filter,
    deleteInboxFilter: filter,
    createInboxFilterRun: message,
    getInboxFilterRun: async () => {
      await post("/filters/run", { folder: "INBOX" });
      return ids();
    },
    listInboxFolders: mailbox,
    createInboxFolder: mailbox,
    updateInboxFolder: async () => {
      await post("/folders", { name: "Old" });
      return ids({ name: "Old" });
    },
    deleteInboxFolder: folder,
    listInboxAddresses: message,
    getInboxEvents: mailbox,
    exportInbox: message,
    importInbox: mailbox,
    listInboxImports: async () => ids({ import_id: await startedImport(workspace().mailboxId) }),
    getInboxImport: async () => ids({ import_id: await startedImport(workspace().mailboxId) }),
    getInboxQuota: mailbox,
    listInboxStorageSections: message,
    listInboxBlockedSenders: async () => {
      await workspace().call("PUT", inbox("/blocked-senders"), { emails: ["spam@example.org"] });
      return ids();
    },
    replaceInboxBlockedSenders: mailbox,
    getInboxAutoReply: async () => {
      const [subject, text] = ["Away", "I am back in December."];
      const reply = { is_active: true, ends_at: "2026-12-01T08:00:00Z", subject, text };
      await workspace().call("PUT", inbox("/auto-reply"), reply);
      return ids();
    },
    replaceInboxAutoReply: mailbox,
    listInboxLabels: label,
    createInboxLabel: mailbox,
    updateInboxLabel: label,
    deleteInboxLabel: label,
    listInboxMessages: message,
    searchInbox: async () => {
      await deliver(workspace().mailbox, aRawMessage({ Subject: "Your receipt invoice" }));
      return ids();
    },
    getInboxMessage: message,
    deleteInboxMessage: message,
    getInboxMessageSource: message,
    getInboxAttachment: message,
    updateInboxMessageFlags: message,
    moveInboxMessage: message,
    moveInboxMessageToSpam: message,
    restoreInboxMessageFromSpam: async () => {
      const { uid } = await message();
      return ids({ uid: String((await post<Message>(`/messages/${uid}/spam`)).uid) });
    },
    updateInboxMessages: async () => {
      // The body of the example names the UIDs 7 and 8.
      for (let count = 0; count < 8; count++) await message();
      return ids();
    },
    replaceInboxMessageLabels: async () => ({ ...(await label()), ...(await message()) }),
    getInboxThread: message,
    sendInboxMessage: mailbox,
    addInboxFile: mailbox,
    createInboxDraft: mailbox,
    replaceInboxDraft: draft,
    deleteInboxDraft: draft,
  };
}
