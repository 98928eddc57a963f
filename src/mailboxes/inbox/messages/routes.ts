import * as z from "zod";
import { download } from "../../../http/download.ts";
import { newRoutes } from "../../../http/env.ts";
import { file, operationsOf, pathText, responses, success } from "../../../http/openapi.ts";
import { offsetQuery, setNextLink } from "../../../http/pagination.ts";
import { body, query } from "../../../http/validate.ts";
import { notFound, requireFound } from "../../../lib/errors.ts";
import { mailboxLimits } from "../../mailbox-store/index.ts";
import { replaceLabels } from "../labels/index.ts";
import { bodyErrors, errors, open, uidOf } from "../routes.ts";
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

const operation = operationsOf("Inbox");
const partId = pathText("part_id", "Number of the part, as in IMAP", "2");

export const messageRoutes = newRoutes()
  .get(
    "/v1/inbox/:mailbox_id/messages",
    operation("inbox:read", "listInboxMessages", {
      summary: "List the messages of a folder, newest first",
      responses: responses(200, "A page of messages", PageOut, errors),
    }),
    query(ListQuery),
    async (c) => {
      const { folder, limit, offset, before } = c.req.valid("query");
      const { store } = await open(c);
      const page = requireFound(await store.list(folder, { limit, offset, before }), "Folder");
      const last = page.items.at(-1);
      if (last && page.items.length === limit) setNextLink(c, { before: String(last.uid), offset: "0" });
      return c.json({ items: page.items.map(toItem), total: page.total, limit, offset });
    },
  )
  .get(
    "/v1/inbox/:mailbox_id/search",
    operation("inbox:read", "searchInbox", {
      summary: "Search sender, recipients, subject and text of messages",
      description: `Every word matches the beginning of a word. \`total\` counts at most ${mailboxLimits.countedMatches.toLocaleString("en")} messages.`,
      responses: responses(200, "A page of messages, newest first", PageOut, errors),
    }),
    query(SearchQuery),
    async (c) => {
      const { q, folder, limit, offset } = c.req.valid("query");
      const { store } = await open(c);
      const page = requireFound(await store.search(q, folder, { limit, offset }), "Folder");
      if (page.items.length === limit) setNextLink(c, { offset: String(offset + limit) });
      return c.json({ items: page.items.map(toItem), total: page.total, limit, offset });
    },
  )
  .get(
    "/v1/inbox/:mailbox_id/messages/:uid",
    operation("inbox:read", "getInboxMessage", {
      summary: "Get a message",
      description: "Reading does not mark it as seen.",
      responses: responses(200, "The message", MessageOut, errors),
    }),
    query(ReadQuery),
    async (c) => {
      const { folder, images } = c.req.valid("query");
      const stored = await getMessage(await open(c), folder, c.req.param("uid"));
      return c.json(toMessage(stored, await readContent(c.get("caller"), stored, images)));
    },
  )
  .get(
    "/v1/inbox/:mailbox_id/messages/:uid/raw",
    operation("inbox:read", "getInboxMessageSource", {
      summary: "Get a message as it was received",
      responses: { ...responses(200, "", null, errors), ...file("The message (RFC 5322)", "message/rfc822") },
    }),
    query(FolderQuery),
    async (c) => {
      const stored = await getMessage(await open(c), c.req.valid("query").folder, c.req.param("uid"));
      const { body: content } = await openObject(c.get("caller"), stored.object);
      return c.body(content, 200, download(`message-${stored.uid}.eml`, "message/rfc822"));
    },
  )
  .get(
    "/v1/inbox/:mailbox_id/attachments/:uid/:part_id",
    operation("inbox:read", "getInboxAttachment", {
      summary: "Download an attachment",
      parameters: [partId],
      responses: { ...responses(200, "", null, errors), ...file("The decoded file", "application/octet-stream") },
    }),
    query(FolderQuery),
    async (c) => {
      const stored = await getMessage(await open(c), c.req.valid("query").folder, c.req.param("uid"));
      const attachment = await openAttachment(c.get("caller"), stored, c.req.param("part_id"));
      return c.body(attachment.body, 200, download(attachment.filename, attachment.contentType));
    },
  )
  .post(
    "/v1/inbox/:mailbox_id/messages/:uid/flags",
    operation("inbox:write", "updateInboxMessageFlags", {
      summary: "Mark a message as seen, flagged or answered",
      responses: responses(200, "The message", ItemOut, bodyErrors),
    }),
    query(FolderQuery),
    ...body(FlagsIn),
    async (c) => {
      const { folder } = c.req.valid("query");
      return c.json(toItem(await updateFlags(await open(c), folder, uidOf(c), c.req.valid("json"))));
    },
  )
  .post(
    "/v1/inbox/:mailbox_id/messages/:uid/move",
    operation("inbox:write", "moveInboxMessage", {
      summary: "Move a message to another folder",
      responses: responses(200, "Its new place", PlaceOut, bodyErrors),
    }),
    query(FolderQuery),
    ...body(MoveIn),
    async (c) =>
      c.json(await moveMessage(await open(c), c.req.valid("query").folder, uidOf(c), c.req.valid("json").folder)),
  )
  .post(
    "/v1/inbox/:mailbox_id/messages/:uid/spam",
    operation("inbox:write", "moveInboxMessageToSpam", {
      summary: "Move a message to Spam",
      responses: responses(200, "Its new place", PlaceOut, errors),
    }),
    query(FolderQuery),
    async (c) => c.json(await moveMessage(await open(c), c.req.valid("query").folder, uidOf(c), "Spam")),
  )
  .post(
    "/v1/inbox/:mailbox_id/messages/:uid/not-spam",
    operation("inbox:write", "restoreInboxMessageFromSpam", {
      summary: "Return a message from Spam to the folder that it came from",
      description: "It goes to INBOX when it came from Trash, or from a folder that is gone.",
      responses: responses(200, "Its new place", PlaceOut, [...errors, 409]),
    }),
    query(SpamFolderQuery),
    async (c) => c.json(await restoreMessage(await open(c), c.req.valid("query").folder, uidOf(c))),
  )
  .delete(
    "/v1/inbox/:mailbox_id/messages/:uid",
    operation("inbox:write", "deleteInboxMessage", {
      summary: "Move a message to Trash, or delete it for good",
      description: "A message in Trash, and any message with `expunge=true`, is deleted for good.",
      responses: {
        ...responses(200, "Moved to Trash: its new place", PlaceOut, errors),
        ...success(204, "Deleted for good", null),
      },
    }),
    query(DeleteQuery),
    async (c) => {
      const { folder, expunge } = c.req.valid("query");
      const place = await deleteMessage(c.get("caller"), await open(c), { folder, uid: uidOf(c), expunge });
      return place ? c.json(place) : c.body(null, 204);
    },
  )
  .post(
    "/v1/inbox/:mailbox_id/messages/batch",
    operation("inbox:write", "updateInboxMessages", {
      summary: `Change up to ${MAX_CHANGED} messages of a folder`,
      responses: responses(200, "A result for each message", BatchOut, bodyErrors),
    }),
    ...body(BatchIn),
    async (c) => c.json(await changeMessages(c.get("caller"), await open(c), c.req.valid("json"))),
  )
  .put(
    "/v1/inbox/:mailbox_id/messages/:uid/labels",
    operation("inbox:write", "replaceInboxMessageLabels", {
      summary: "Replace the labels of a message",
      responses: responses(200, "The message", ItemOut, bodyErrors),
    }),
    query(FolderQuery),
    ...body(LabelsIn),
    async (c) => {
      const { folder } = c.req.valid("query");
      return c.json(toItem(await replaceLabels(await open(c), folder, uidOf(c), c.req.valid("json").label_ids)));
    },
  )
  .get(
    "/v1/inbox/:mailbox_id/threads/:thread_id",
    operation("inbox:read", "getInboxThread", {
      summary: "List the messages of a thread in all folders, oldest first",
      description: "Lists the newest 500 messages.",
      responses: responses(200, "The messages", ThreadOut, errors),
    }),
    async (c) => {
      const { store } = await open(c);
      const items = await store.thread(c.req.param("thread_id").toLowerCase());
      if (items.length === 0) throw notFound("Thread");
      return c.json(items.map(toItem));
    },
  );
