import * as z from "zod";
import { apiRoutes, outlives } from "../../../http/api-routes.ts";
import { fileBody } from "../../../http/file-body.ts";
import { uploadBody } from "../../../http/openapi.ts";
import { bodyWithLongTexts } from "../../../http/validate.ts";
import { inMiB } from "../../../lib/bytes.ts";
import { AcceptOut } from "../../../sending/emails/index.ts";
import { listScheduledOfMailbox, ScheduledOut } from "../../../sending/emails/scheduled/index.ts";
import { keepResponse } from "../open.ts";
import { inboxRoute } from "../routes.ts";
import { ItemOut, toItem } from "../schema.ts";
import { createDraft, deleteDraft, replaceDraft } from "./drafts.ts";
import { MAX_FILE_BYTES, uploadFile } from "./files.ts";
import { DraftIn, FileOut, SendIn } from "./schema.ts";
import { sendFromMailbox } from "./send.ts";

export const sendingRoutes = apiRoutes("Inbox", inboxRoute)
  .post("/v1/inbox/:mailbox_id/send", "sendInboxMessage", "inbox:write", outlives.nothing, {
    summary: "Send a message from a mailbox",
    description:
      "At least one of text and html is required; a text alone is also sent as HTML. A copy goes to Sent when the message leaves.",
    body: bodyWithLongTexts(SendIn, ["html", "text"]),
    returns: { 202: ["Accepted for delivery", AcceptOut] },
    errors: [400, 503],
    run: (caller, { mailbox, body }) => sendFromMailbox(caller, mailbox, body),
  })
  .get("/v1/inbox/:mailbox_id/scheduled", "listInboxScheduled", "inbox:read", {
    summary: "List the scheduled emails of a mailbox, soonest first",
    returns: { 200: ["At most 1,000 emails", z.array(ScheduledOut)] },
    run: (caller, { mailbox }) => listScheduledOfMailbox(caller, mailbox.id),
  })
  .post("/v1/inbox/:mailbox_id/files", "addInboxFile", "inbox:write", outlives.nothing, {
    summary: "Upload a file for a message",
    description: `At most ${inMiB(MAX_FILE_BYTES)}. The file can be sent, any number of times, for a day.`,
    requestBody: uploadBody(),
    before: fileBody("file", MAX_FILE_BYTES),
    returns: { 201: ["The id of the file", FileOut] },
    errors: [408, 413, 415],
    run: async (caller, { mailbox }, c) => {
      const info = c.get("fileInfo") ?? { filename: null, mediaType: null };
      return uploadFile(caller, mailbox, c.get("file") ?? new Uint8Array(), info);
    },
  })
  .post("/v1/inbox/:mailbox_id/drafts", "createInboxDraft", "inbox:write", outlives.nothing, {
    summary: "Create a draft",
    body: bodyWithLongTexts(DraftIn, ["html", "text"]),
    returns: { 201: ["The draft in the folder Drafts", ItemOut] },
    run: async (caller, { mailbox, body }) => keepResponse(caller, toItem(await createDraft(caller, mailbox, body))),
  })
  .put("/v1/inbox/:mailbox_id/drafts/:uid", "replaceInboxDraft", "inbox:write", outlives.nothing, {
    summary: "Replace a draft",
    description: "The new version has a new UID.",
    body: bodyWithLongTexts(DraftIn, ["html", "text"]),
    returns: { 200: ["The new version", ItemOut] },
    errors: [409],
    run: async (caller, { uid, mailbox, body }) => toItem(await replaceDraft(caller, mailbox, uid, body)),
  })
  .delete("/v1/inbox/:mailbox_id/drafts/:uid", "deleteInboxDraft", "inbox:write", outlives.nothing, {
    summary: "Delete a draft for good",
    returns: { 204: "Deleted" },
    run: (caller, { uid, mailbox }) => deleteDraft(caller, mailbox, uid),
  });
