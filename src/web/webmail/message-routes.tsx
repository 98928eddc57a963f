import { download } from "../../http/download.ts";
import { type AppContext, newRoutes } from "../../http/env.ts";
import { webmailFor } from "../../http/mailbox-page-session.ts";
import { respondMailHtml, respondPage } from "../../http/page.tsx";
import { parseUid } from "../../lib/ids.ts";
import {
  getConversation,
  getMessage,
  isHtml,
  openAttachment,
  openMailbox,
  openObject,
  readContent,
  wrapText,
} from "../../mailboxes/inbox/index.ts";
import type { Conversation, Folder, Selection, StoredMessage } from "../../mailboxes/mailbox-store/index.ts";
import { readDone } from "./bulk-actions.ts";
import type { ShownMessage } from "./conversation-message.tsx";
import type { OpenPage } from "./layout.tsx";
import { MessagePage } from "./message-page.tsx";
import { openFormBelow } from "./open-form.ts";
import { openPage } from "./open-page.tsx";
import { messagePath } from "./paths.ts";

const message = (c: AppContext) =>
  openMailbox(c.get("caller"), c.req.param("mailbox_id") ?? "").then((mailbox) =>
    getMessage(mailbox, c.req.param("folder") ?? "", parseUid(c.req.param("uid") ?? "")),
  );

/** The pages of a conversation and of one message of a mailbox, and its files. */
export const messagePages = newRoutes()
  .get("/mail/:mailbox_id/:folder/:uid", ...webmailFor("GET /v1/inbox/:mailbox_id/messages/:uid"), showConversation)
  .get("/mail/:mailbox_id/:folder/:uid/body", ...webmailFor("GET /v1/inbox/:mailbox_id/messages/:uid"), async (c) => {
    const stored = await message(c);
    const foreignImages = c.req.query("images") === "1";
    const { html, text } = await readContent(c.get("caller"), stored, foreignImages);
    // With its origin the page can make the frame as high as the text.
    if (html === null) return respondMailHtml(c, toTextPage(text), { ownImages: true });
    return respondMailHtml(c, TYPE + showOwnImages(html, c.req.param("mailbox_id"), stored), {
      ownImages: true,
      foreignImages,
    });
  })
  .get(
    "/mail/:mailbox_id/:folder/:uid/raw",
    ...webmailFor("GET /v1/inbox/:mailbox_id/messages/:uid/raw"),
    async (c) => {
      const stored = await message(c);
      const { body } = await openObject(c.get("caller"), stored.object);
      return c.body(body, 200, download(`message-${stored.uid}.eml`, "message/rfc822"));
    },
  )
  .get(
    "/mail/:mailbox_id/:folder/:uid/parts/:part_id",
    ...webmailFor("GET /v1/inbox/:mailbox_id/attachments/:uid/:part_id"),
    async (c) => {
      const file = await openAttachment(c.get("caller"), await message(c), c.req.param("part_id"));
      return c.body(file.body, 200, download(file.filename, file.contentType));
    },
  );

/** Shows the conversation of the message that the path names. */
export async function showConversation(c: AppContext): Promise<Response> {
  const page = await openPage(c, c.req.url);
  const conversation = await getConversation(
    page.mailbox,
    c.req.param("folder") ?? "",
    parseUid(c.req.param("uid") ?? ""),
  );
  // A person who opens a conversation has read it; the API leaves that to the client. The script reads the page again when
  // something has changed, such as that the message is unread: that is not a person.
  const isRead = c.req.header("Sec-Fetch-Dest") !== "empty";
  const [shown, folders, writing] = await Promise.all([
    toShown(page, conversation),
    isRead ? markAsRead(page, conversation) : page.folders,
    openFormBelow(page, conversation.message, c.req.query()),
  ]);
  const element = (
    <MessagePage
      page={{ ...page, folders }}
      conversation={conversation}
      shown={shown}
      withImages={c.req.query("images") === "1"}
      done={await readDone(page, c.req.query())}
      writing={writing}
    />
  );
  return respondPage(c, element, { frames: true });
}

/** Texts that a page has itself. Each is at most 21 reads of the object store; further ones load in frames. */
const MAX_TEXTS = 4;

/** Reads the texts that the page of a conversation shows. The newest message, unread ones and the one asked for are open. */
async function toShown({ caller }: OpenPage, { message: asked, messages }: Conversation): Promise<ShownMessage[]> {
  const newest = messages.findLast(({ folder }) => folder !== "Drafts");
  const isOpen = (one: StoredMessage) => one === asked || one === newest || !one.seen;
  const texts = messages.filter((one) => isOpen(one) && !isHtml(one));
  const read = [...new Set([...texts.filter((one) => one === asked), ...texts.toReversed()])].slice(0, MAX_TEXTS);
  const contents = new Map(
    await Promise.all(read.map(async (one) => [one, await readContent(caller, one, false)] as const)),
  );
  return messages.map((one) => ({ message: one, isOpen: isOpen(one), content: contents.get(one) ?? null }));
}

/** Marks a conversation as read, also earlier messages that the page does not show. Returns the folders with their new counts. */
async function markAsRead({ mailbox, folders }: OpenPage, conversation: Conversation): Promise<Folder[]> {
  const selections = toUnread(conversation);
  if (selections.length === 0) return folders;
  const change = { type: "flag", flag: "seen", isSet: true } as const;
  const { results } = await mailbox.store.changeSelected(selections.map((selection) => ({ selection, change })));
  const changed = new Map(
    results.flatMap((result) => ("unknown" in result ? [] : result.changed)).map(({ folder, uids }) => [folder, uids]),
  );
  return folders.map((folder) => ({ ...folder, unseen: folder.unseen - (changed.get(folder.name)?.length ?? 0) }));
}

/** Returns the selections of the messages to mark as read, of each folder one. None: all are read. */
function toUnread({ message, messages, newest, upTo, isUnread }: Conversation): Selection[] {
  const unread = messages.filter(({ seen }) => !seen);
  const isWhole = newest === null;
  const names = new Set(unread.map(({ folder }) => folder));
  if (isWhole && isUnread) names.add(message.folder);
  return [...names].map((folder) => {
    const shown = messages.filter((one) => one.folder === folder).map(({ uid }) => uid);
    return {
      folder,
      uids: unread.filter((one) => one.folder === folder).map(({ uid }) => uid),
      threads: [message.threadId],
      upTo: isWhole && folder === message.folder ? upTo : Math.max(...shown),
    };
  });
}

/** The type of messages that have none of their own: that of the pages. */
const TYPE = "<style>body{font:14px/1.5 system-ui,sans-serif}</style>";

/** Returns a text as the document of a frame, in the colours of the page around it. */
const toTextPage = (text: string | null) =>
  `${TYPE}<style>:root{color-scheme:light dark}body{margin:0;overflow-wrap:anywhere}</style>` +
  wrapText(text ?? "This message has no text.");

/** Replaces the Content-IDs of images (RFC 2392) by the paths of the parts. `html` is sanitised. */
function showOwnImages(html: string, mailboxId: string, { parts, ...place }: StoredMessage): string {
  const ids = new Map(parts.flatMap(({ contentId, partId }) => (contentId === null ? [] : [[contentId, partId]])));
  return html.replace(/ src="cid:([^"]*)"/gi, (all, id: string) => {
    const partId = ids.get(id) ?? ids.get(`<${id}>`);
    return partId === undefined ? all : ` src="${messagePath(mailboxId, place)}/parts/${partId}"`;
  });
}
