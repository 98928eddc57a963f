import * as z from "zod";
import { newRoutes } from "../../../http/env.ts";
import { fileBody } from "../../../http/file-body.ts";
import { idempotent } from "../../../http/idempotency.ts";
import { noContent } from "../../../http/no-content.ts";
import { operationsOf, responses } from "../../../http/openapi.ts";
import { bodyWithLongTexts } from "../../../http/validate.ts";
import { inMiB } from "../../../lib/bytes.ts";
import { AcceptOut } from "../../../sending/emails/index.ts";
import { listScheduledOfMailbox, ScheduledOut } from "../../../sending/emails/scheduled/index.ts";
import { bodyErrors, errors, open, uidOf } from "../routes.ts";
import { ItemOut, toItem } from "../schema.ts";
import { deleteDraft, replaceDraft, storeDraft } from "./drafts.ts";
import { MAX_FILE_BYTES, uploadFile } from "./files.ts";
import { DraftIn, FileOut, SendIn } from "./schema.ts";
import { sendFromMailbox } from "./send.ts";

const operation = operationsOf("Inbox");

export const sendingRoutes = newRoutes()
  .post(
    "/v1/inbox/:mailbox_id/send",
    operation("inbox:write", "sendInboxMessage", {
      summary: "Send a message from a mailbox",
      description:
        "At least one of text and html is required; a text alone is also sent as HTML. A copy goes to Sent when the message leaves.",
      responses: responses(202, "Accepted for delivery", AcceptOut, [...bodyErrors, 400, 409, 503]),
    }),
    ...bodyWithLongTexts(SendIn, ["html", "text"]),
    idempotent(202, open),
    async (c) => c.json(await sendFromMailbox(c.get("caller"), await open(c), c.req.valid("json")), 202),
  )
  .get(
    "/v1/inbox/:mailbox_id/scheduled",
    operation("inbox:read", "listInboxScheduled", {
      summary: "List the scheduled emails of a mailbox, soonest first",
      responses: responses(200, "At most 1,000 emails", z.array(ScheduledOut), errors),
    }),
    async (c) => c.json(await listScheduledOfMailbox(c.get("caller"), (await open(c)).id)),
  )
  .post(
    "/v1/inbox/:mailbox_id/files",
    operation("inbox:write", "addInboxFile", {
      summary: "Upload a file for a message",
      description: `At most ${inMiB(MAX_FILE_BYTES)}. The file can be sent, any number of times, for a day.`,
      requestBody: {
        required: true,
        content: {
          "multipart/form-data": {
            schema: {
              type: "object",
              required: ["file"],
              properties: { file: { type: "string", format: "binary" } },
            },
          },
        },
      },
      responses: responses(201, "The id of the file", FileOut, [...bodyErrors, 408, 409]),
    }),
    fileBody("file", MAX_FILE_BYTES),
    idempotent(201, open),
    async (c) => {
      const info = c.get("fileInfo") ?? { filename: null, mediaType: null };
      return c.json(await uploadFile(c.get("caller"), await open(c), c.get("file") ?? new Uint8Array(), info), 201);
    },
  )
  .post(
    "/v1/inbox/:mailbox_id/drafts",
    operation("inbox:write", "createInboxDraft", {
      summary: "Create a draft",
      responses: responses(201, "The draft in the folder Drafts", ItemOut, [...bodyErrors, 409]),
    }),
    ...bodyWithLongTexts(DraftIn, ["html", "text"]),
    idempotent(201, open),
    async (c) => c.json(await storeDraft(c.get("caller"), await open(c), c.req.valid("json")), 201),
  )
  .put(
    "/v1/inbox/:mailbox_id/drafts/:uid",
    operation("inbox:write", "replaceInboxDraft", {
      summary: "Replace a draft",
      description: "The new version has a new UID.",
      responses: responses(200, "The new version", ItemOut, [...bodyErrors, 409]),
    }),
    ...bodyWithLongTexts(DraftIn, ["html", "text"]),
    async (c) => c.json(toItem(await replaceDraft(c.get("caller"), await open(c), uidOf(c), c.req.valid("json")))),
  )
  .delete(
    "/v1/inbox/:mailbox_id/drafts/:uid",
    operation("inbox:write", "deleteInboxDraft", {
      summary: "Delete a draft for good",
      responses: responses(204, "Deleted", null, errors),
    }),
    async (c) => noContent(c, deleteDraft(c.get("caller"), await open(c), uidOf(c))),
  );
