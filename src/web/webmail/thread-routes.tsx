import * as z from "zod";
import { newRoutes } from "../../http/env.ts";
import { inputOf } from "../../http/form-input.ts";
import { webmailFor } from "../../http/mailbox-page-session.ts";
import { submitForm } from "../../http/page-routes.ts";
import { badRequest } from "../../lib/errors.ts";
import { parseUid } from "../../lib/ids.ts";
import { addNote, changeThread, deleteNote, getMessage, NoteIn } from "../../mailboxes/inbox/index.ts";
import { showConversation } from "./message-routes.tsx";
import { openPage } from "./open-page.tsx";
import { messagePath } from "./paths.ts";

// The page may have a form with `text` beside this one.
const NoteForm = z.object({ note: NoteIn.shape.text });

/** The forms by which people assign, close and note a conversation. Its path names one of its messages. */
export const threadPages = newRoutes().post(
  "/mail/threads/:mailbox_id/:folder/:uid",
  ...webmailFor("PATCH /v1/inbox/:mailbox_id/threads/:thread_id"),
  (c) =>
    submitForm(c, showConversation, async (fields) => {
      const { caller, mailbox } = await openPage(c);
      const message = await getMessage(mailbox, c.req.param("folder"), parseUid(c.req.param("uid")));
      const thread = message.threadId;
      const action = fields.get("action");
      if (action === "assign")
        await changeThread(caller, mailbox, thread, { assignee_id: fields.get("assignee_id") || null });
      else if (action === "close" || action === "reopen")
        await changeThread(caller, mailbox, thread, { closed: action === "close" });
      else if (action === "note") await addNote(caller, mailbox, thread, inputOf(NoteForm)(fields).note);
      else if (action === "unnote") await deleteNote(mailbox, thread, fields.get("note_id") ?? "");
      else throw badRequest("The form has no known action");
      return messagePath(mailbox.id, message);
    }),
);
