import { parseUid } from "../../lib/ids.ts";
import { getMessage, readContent } from "../../mailboxes/inbox/index.ts";
import type { Person, SavedReply, StoredMessage } from "../../mailboxes/mailbox-store/index.ts";
import type { ComposeForm } from "./compose-form.ts";
import type { OpenPage } from "./layout.tsx";
import { backPath, folderPath, labelPath, messagePath } from "./paths.ts";
import { draftForm, emptyForm, type Reply, replyForm } from "./reply-form.ts";

type Query = Readonly<Record<string, string>>;

/** The offers of a mailbox to the person who writes: the addresses that it writes to most, and its saved replies. */
export interface Offered {
  known: readonly Person[];
  savedReplies: readonly SavedReply[];
}

/** A form that writes a message as it is opened. */
export interface OpenForm extends Offered {
  form: ComposeForm;
}

/** Returns the form that a query asks for: an empty one, a draft, or a reply to a message. */
export async function openForm(page: OpenPage, query: Query): Promise<OpenForm> {
  const { addresses: known, signature, savedReplies } = await page.mailbox.store.forWriting();
  const offered = { known, savedReplies };
  const { caller, mailbox } = page;
  const { draft, reply, folder = "INBOX", uid = "", to = "" } = query;
  const back = backOf(mailbox.id, query);
  if (draft !== undefined) {
    const message = await getMessage(mailbox, "Drafts", parseUid(draft));
    const form = draftForm(message, await readContent(caller, message, false));
    return { form: { ...form, isAnswered: await isAnswered(page, form.inReplyTo), back }, ...offered };
  }
  if (!isReply(reply)) return { form: { ...emptyForm(signature, { to }), back }, ...offered };
  const message = await getMessage(mailbox, folder, parseUid(uid));
  const content = await readContent(caller, message, false);
  return { form: { ...replyForm(reply, { message, content }, { mailbox, signature }), back }, ...offered };
}

/** Returns the form below a conversation: a reply or a draft. Null when the query has none, and for a draft that is being sent or gone. */
export async function openFormBelow(page: OpenPage, { folder, uid }: StoredMessage, { reply, draft }: Query) {
  if (isReply(reply)) return openForm(page, { reply, folder, uid: String(uid) });
  const stored = draft === undefined ? null : await page.mailbox.store.find("Drafts", parseUid(draft));
  if (stored === null || stored.claim !== null) return null;
  return openForm(page, { draft: String(stored.uid), back: messagePath(page.mailbox.id, { folder, uid }) });
}

/** Returns whether the message with a Message-ID is in the mailbox and was answered. */
export const isAnswered = async ({ mailbox }: OpenPage, messageId: string): Promise<boolean> =>
  messageId !== "" && (await mailbox.store.findByMessageId(messageId))?.answered === true;

/** Returns the path of the page that led to the form: of a message, a label, or a folder. */
function backOf(id: string, { folder = "INBOX", uid = "", label, back, draft }: Query): string {
  if (back !== undefined) return backPath(id, back, {});
  if (draft !== undefined) return folderPath(id, "Drafts");
  if (label !== undefined) return labelPath(id, label);
  return /^\d{1,10}$/.test(uid) ? messagePath(id, { folder, uid: Number(uid) }) : folderPath(id, folder);
}

const isReply = (text: string | undefined): text is Reply => text === "one" || text === "all" || text === "forward";
