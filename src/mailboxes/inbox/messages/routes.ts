import * as z from "zod";
import { apiRoutes, outlives } from "../../../http/api-routes.ts";
import { download } from "../../../http/download.ts";
import { file, pathText } from "../../../http/openapi.ts";
import { offsetQuery, setNextLink } from "../../../http/pagination.ts";
import { notFound, requireFound } from "../../../lib/errors.ts";
import { mailboxLimits } from "../../mailbox-store/index.ts";
import { replaceLabels } from "../labels/index.ts";
import { inboxRoute } from "../routes.ts";
import { ItemOut, PageOut, PlaceOut, toItem } from "../schema.ts";
import { changeMessages, deleteMessage, moveMessage, restoreMessage, updateFlags } from "./change.ts";
import { getMessage, openAttachment, openObject, readContent } from "./read.ts";
import {
  BatchIn,
  BatchOut,
  DeleteQuery,
  FlagsIn,
  FolderQuery,
  folderQuery,
  LabelsIn,
  MAX_CHANGED,
  MessageOut,
  MoveIn,
  ReadQuery,
  SpamFolderQuery,
  ThreadOut,
  toMessage,
} from "./schema.ts";

const range = offsetQuery({ default: 50, max: 200 });
const ListQuery = z.object({
  ...range,
  ...folderQuery,
  before: z
    .string()
    .regex(/^[1-9]\d{0,9}$/, "before must be a UID")
    .transform(Number)
    .optional()
    .describe("Continues after the message with this UID. Taken from the Link header of the page before."),
});
const SearchQuery = z.object({
  ...range,
  q: z
    .string()
    .min(1)
    .max(1000)
    .meta({ description: 'Words, of which each must occur, and "phrases".', example: "receipt" }),
  folder: z.string().max(1000).default("INBOX").describe("The folder to search; `*` searches all folders."),
});

const partId = pathText("part_id", "Number of the part, as in IMAP", "2");

export const messageRoutes = apiRoutes("Inbox", inboxRoute)
  .get("/v1/inbox/:mailbox_id/messages", "listInboxMessages", "inbox:read", {
    summary: "List the messages of a folder, newest first",
    query: ListQuery,
    returns: { 200: ["A page of messages", PageOut] },
    run: async (_caller, { mailbox, query }, c) => {
      const { folder, limit, offset, before } = query;
      const page = requireFound(await mailbox.store.list(folder, { limit, offset, before }), "Folder");
      const last = page.items.at(-1);
      if (last && page.items.length === limit) setNextLink(c, { before: String(last.uid), offset: "0" });
      return { items: page.items.map(toItem), total: page.total, limit, offset };
    },
  })
  .get("/v1/inbox/:mailbox_id/search", "searchInbox", "inbox:read", {
    summary: "Search sender, recipients, subject and text of messages",
    description: `Every word matches the beginning of a word. \`total\` counts at most ${mailboxLimits.countedMatches.toLocaleString("en")} messages.`,
    query: SearchQuery,
    returns: { 200: ["A page of messages, newest first", PageOut] },
    run: async (_caller, { mailbox, query }, c) => {
      const { q, folder, limit, offset } = query;
      const page = requireFound(await mailbox.store.search(q, folder, { limit, offset }), "Folder");
      if (page.items.length === limit) setNextLink(c, { offset: String(offset + limit) });
      return { items: page.items.map(toItem), total: page.total, limit, offset };
    },
  })
  .get("/v1/inbox/:mailbox_id/messages/:uid", "getInboxMessage", "inbox:read", {
    summary: "Get a message",
    description: "Reading does not mark it as seen.",
    query: ReadQuery,
    returns: { 200: ["The message", MessageOut] },
    run: async (caller, { uid, mailbox, query }) => {
      const { folder, images } = query;
      const stored = await getMessage(mailbox, folder, uid);
      return toMessage(stored, await readContent(caller, stored, images));
    },
  })
  .get("/v1/inbox/:mailbox_id/messages/:uid/raw", "getInboxMessageSource", "inbox:read", {
    summary: "Get a message as it was received",
    query: FolderQuery,
    returns: file("The message (RFC 5322)", "message/rfc822"),
    run: async (caller, { uid, mailbox, query }, c) => {
      const stored = await getMessage(mailbox, query.folder, uid);
      const { body: content } = await openObject(caller, stored.object);
      return c.body(content, 200, download(`message-${stored.uid}.eml`, "message/rfc822"));
    },
  })
  .get("/v1/inbox/:mailbox_id/attachments/:uid/:part_id", "getInboxAttachment", "inbox:read", {
    summary: "Download an attachment",
    parameters: [partId],
    query: FolderQuery,
    returns: file("The decoded file", "application/octet-stream"),
    run: async (caller, { uid, part_id, mailbox, query }, c) => {
      const attachment = await openAttachment(caller, await getMessage(mailbox, query.folder, uid), part_id);
      return c.body(attachment.body, 200, download(attachment.filename, attachment.contentType));
    },
  })
  .post("/v1/inbox/:mailbox_id/messages/:uid/flags", "updateInboxMessageFlags", "inbox:write", outlives.nothing, {
    summary: "Mark a message as seen, flagged or answered",
    query: FolderQuery,
    body: FlagsIn,
    once: false,
    returns: { 200: ["The message", ItemOut] },
    run: async (_caller, { uid, mailbox, query, body }) => toItem(await updateFlags(mailbox, query.folder, uid, body)),
  })
  .post("/v1/inbox/:mailbox_id/messages/:uid/move", "moveInboxMessage", "inbox:write", outlives.nothing, {
    summary: "Move a message to another folder",
    query: FolderQuery,
    body: MoveIn,
    once: false,
    returns: { 200: ["Its new place", PlaceOut] },
    run: (_caller, { uid, mailbox, query, body }) => moveMessage(mailbox, query.folder, uid, body.folder),
  })
  .post("/v1/inbox/:mailbox_id/messages/:uid/spam", "moveInboxMessageToSpam", "inbox:write", outlives.nothing, {
    summary: "Move a message to Spam",
    query: FolderQuery,
    once: false,
    returns: { 200: ["Its new place", PlaceOut] },
    run: (_caller, { uid, mailbox, query }) => moveMessage(mailbox, query.folder, uid, "Spam"),
  })
  .post(
    "/v1/inbox/:mailbox_id/messages/:uid/not-spam",
    "restoreInboxMessageFromSpam",
    "inbox:write",
    outlives.nothing,
    {
      summary: "Return a message from Spam to the folder that it came from",
      description: "It goes to INBOX when it came from Trash, or from a folder that is gone.",
      query: SpamFolderQuery,
      once: false,
      returns: { 200: ["Its new place", PlaceOut] },
      errors: [409],
      run: (_caller, { uid, mailbox, query }) => restoreMessage(mailbox, query.folder, uid),
    },
  )
  .delete("/v1/inbox/:mailbox_id/messages/:uid", "deleteInboxMessage", "inbox:write", outlives.nothing, {
    summary: "Move a message to Trash, or delete it for good",
    description: "A message in Trash, and any message with `expunge=true`, is deleted for good.",
    query: DeleteQuery,
    returns: { 200: ["Moved to Trash: its new place", PlaceOut], 204: "Deleted for good" },
    run: async (caller, { uid, mailbox, query }, c) => {
      const { folder, expunge } = query;
      const place = await deleteMessage(caller, mailbox, { folder, uid, expunge });
      return place ? c.json(place) : c.body(null, 204);
    },
  })
  .post("/v1/inbox/:mailbox_id/messages/batch", "updateInboxMessages", "inbox:write", outlives.nothing, {
    summary: `Change up to ${MAX_CHANGED} messages of a folder`,
    body: BatchIn,
    once: false,
    returns: { 200: ["A result for each message", BatchOut] },
    run: (caller, { mailbox, body }) => changeMessages(caller, mailbox, body),
  })
  .put("/v1/inbox/:mailbox_id/messages/:uid/labels", "replaceInboxMessageLabels", "inbox:write", outlives.nothing, {
    summary: "Replace the labels of a message",
    query: FolderQuery,
    body: LabelsIn,
    returns: { 200: ["The message", ItemOut] },
    run: async (_caller, { uid, mailbox, query, body }) =>
      toItem(await replaceLabels(mailbox, query.folder, uid, body.label_ids)),
  })
  .get("/v1/inbox/:mailbox_id/threads/:thread_id", "getInboxThread", "inbox:read", {
    summary: "List the messages of a thread in all folders, oldest first",
    description: "Lists the newest 500 messages.",
    returns: { 200: ["The messages", ThreadOut] },
    run: async (_caller, { thread_id, mailbox }) => {
      const items = await mailbox.store.thread(thread_id.toLowerCase());
      if (items.length === 0) throw notFound("Thread");
      return items.map(toItem);
    },
  });
