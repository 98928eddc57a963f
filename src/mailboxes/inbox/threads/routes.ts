import * as z from "zod";
import { apiRoutes, outlives } from "../../../http/api-routes.ts";
import { inboxRoute } from "../routes.ts";
import { addNote, changeThread, deleteNote, readCare } from "./change.ts";
import { listThreads, threadLists } from "./list.ts";
import { CareOut, EntryOut, NoteIn, ThreadPageOut, ThreadPatch, toCare, toEntry, toThreadItem } from "./schema.ts";

const ListQuery = z.object({
  folder: z.string().max(1000).default("INBOX"),
  list: z
    .enum(threadLists)
    .optional()
    .describe("Conversations of the caller, of nobody, or closed ones. Default: all."),
  limit: z.coerce.number().int().min(1).max(50).default(50),
  before: z.string().max(100).optional().describe("`next` of the page before."),
});

export const threadRoutes = apiRoutes("Inbox", inboxRoute)
  .get("/v1/inbox/:mailbox_id/threads", "listInboxThreads", "inbox:read", {
    summary: "List the conversations of a folder, newest first",
    description: "A page may have fewer than `limit` although another follows: it reads at most 2,000 messages.",
    query: ListQuery,
    returns: { 200: ["A page of conversations", ThreadPageOut] },
    run: async (caller, { mailbox, query }) => {
      const { items, next } = await listThreads(caller, mailbox, query);
      return { items: items.map(toThreadItem), next };
    },
  })
  .get("/v1/inbox/:mailbox_id/threads/:thread_id/state", "getInboxThreadState", "inbox:read", {
    summary: "Read who cares for a conversation, and what people have done with it",
    returns: { 200: ["The state with its entries", CareOut] },
    run: async (_caller, { thread_id, mailbox }) => toCare(await readCare(mailbox, thread_id)),
  })
  .patch("/v1/inbox/:mailbox_id/threads/:thread_id", "updateInboxThread", "inbox:write", outlives.nothing, {
    summary: "Assign a conversation, close it or open it again",
    body: ThreadPatch,
    returns: { 200: ["The state with its entries", CareOut] },
    run: async (caller, { thread_id, mailbox, body }) => toCare(await changeThread(caller, mailbox, thread_id, body)),
  })
  .post("/v1/inbox/:mailbox_id/threads/:thread_id/notes", "createInboxNote", "inbox:write", outlives.nothing, {
    summary: "Add a note to a conversation",
    description: "A note is in the mailbox only: no mail, forward or export of mail has it.",
    body: NoteIn,
    returns: { 201: ["The note", EntryOut] },
    run: async (caller, { thread_id, mailbox, body }) => toEntry(await addNote(caller, mailbox, thread_id, body.text)),
  })
  .delete(
    "/v1/inbox/:mailbox_id/threads/:thread_id/notes/:note_id",
    "deleteInboxNote",
    "inbox:write",
    outlives.nothing,
    {
      summary: "Delete a note",
      returns: { 204: "Deleted" },
      run: (_caller, { thread_id, note_id, mailbox }) => deleteNote(mailbox, thread_id, note_id),
    },
  );
