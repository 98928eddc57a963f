import * as z from "zod";
import { apiRoutes, outlives } from "../../../http/api-routes.ts";
import { download } from "../../../http/download.ts";
import { largeBodies } from "../../../http/json-body.ts";
import { file } from "../../../http/openapi.ts";
import { AppError, badRequest, requireFound, tooLarge, unsupportedMediaType } from "../../../lib/errors.ts";
import { toReadable } from "../../../lib/readable.ts";
import { inboxRoute } from "../routes.ts";
import { MAX_ENTRIES } from "./entries.ts";
import { exportMailbox } from "./export.ts";
import { importArchive } from "./import.ts";
import { importNow } from "./rules.ts";
import { BackgroundImportOut, ExportQuery, ImportOut, ImportQuery, toBackgroundImport } from "./schema.ts";

/** Largest archive, in bytes: the largest body that a plan of Cloudflare accepts. */
const MAX_ARCHIVE_BYTES = 500_000_000;
/** Memory that an import holds: a message of 25 MiB, what is read ahead, and what is parsed. */
const IMPORT_BYTES = 40_000_000;

const archive = { schema: { type: "string", format: "binary" } } as const;
const EXAMPLE = "From ada@example.org Sat Nov 21 14:12:48 2026\r\nSubject: Hello\r\n\r\nText\r\n\r\n";

const EXPORT_DESCRIPTION = `A ZIP archive of .eml files, or an mbox file (mboxrd quoting). Each message begins with header
fields of its folder, flags, labels, time and size (\`X-Mailbox-…\`), which an import restores and removes. A ZIP archive also lists all
folders and labels with their colors; an mbox file has the messages only, as other programs expect. The archive is written while it is
downloaded, so a failure ends the connection before the archive is complete.`;

const IMPORT_DESCRIPTION = `The body is a ZIP archive with .eml and .mbox files, or an mbox file, of at most ${MAX_ARCHIVE_BYTES} bytes
and ${MAX_ENTRIES} messages of at most 25 MiB each. A Cloudflare plan may allow less for one body: import folder by folder
then. Messages of an export go to their folders with their flags and labels. Otherwise the directory of an .eml file and the name of
an .mbox file become the folder, and messages are marked as seen. A repeated import adds nothing; importing into the
mailbox of the export adds copies. When the mailbox is full,
the import ends, and \`errors\` says so.

An archive of at most ${importNow.archiveBytes} bytes and ${importNow.messages} messages is imported before the response (200). Of a larger one the
response is a 202 with the id of an import that continues in the background; ask for its progress by this id. At most five
run in one mailbox at a time (409).`;

export const archiveRoutes = apiRoutes("Inbox", inboxRoute)
  .get("/v1/inbox/:mailbox_id/export", "exportInbox", "inbox:read", {
    summary: "Export the messages of a mailbox",
    description: EXPORT_DESCRIPTION,
    query: ExportQuery,
    returns: file("The archive", "application/zip"),
    run: async (caller, { mailbox, query }, c) => {
      const { format, folder = null } = query;
      const pieces = await exportMailbox(caller, mailbox, { format, folder });
      const name = `${mailbox.address}${folder === null ? "" : ` ${folder}`}.${format}`;
      return c.body(toReadable(pieces), 200, download(name, `application/${format}`));
    },
  })
  .post("/v1/inbox/:mailbox_id/import", "importInbox", "inbox:write", outlives.nothing, {
    summary: "Import messages into a mailbox",
    description: IMPORT_DESCRIPTION,
    requestBody: {
      required: true,
      content: {
        "application/mbox": { schema: { ...archive.schema, example: EXAMPLE } },
        "application/zip": archive,
      },
    },
    query: ImportQuery,
    once: false,
    returns: {
      200: ["What was imported", ImportOut],
      202: ["The import that continues in the background", BackgroundImportOut],
    },
    errors: [400, 409, 411, 413, 415],
    run: async (caller, { mailbox, query }, c) => {
      const size = readSize(c.req.header("Content-Type"), c.req.header("Content-Length"));
      const body = c.req.raw.body;
      if (!body || size === 0) throw badRequest("The body is empty; send a ZIP archive or an mbox file");
      const hold = largeBodies.open(caller.workspace.number);
      try {
        await hold.growTo(IMPORT_BYTES);
        const result = await importArchive(caller, mailbox, { body, size, folder: query.folder });
        return "started" in result ? c.json(toBackgroundImport(result.started), 202) : c.json(result.counts);
      } finally {
        hold.free();
      }
    },
  })
  .get("/v1/inbox/:mailbox_id/imports", "listInboxImports", "inbox:read", {
    summary: "List the imports in the background",
    description:
      "The newest 20 of the last 30 days, newest first. Imports that were answered with a 200 are not listed.",
    returns: { 200: ["The imports", z.array(BackgroundImportOut)] },
    run: async (_caller, { mailbox }) => (await mailbox.store.listImports()).map(toBackgroundImport),
  })
  .get("/v1/inbox/:mailbox_id/imports/:import_id", "getInboxImport", "inbox:read", {
    summary: "Get the progress of an import in the background",
    returns: { 200: ["The import", BackgroundImportOut] },
    run: async (_caller, { import_id, mailbox: { store } }) =>
      toBackgroundImport(requireFound(await store.findImport(import_id), "Import")),
  });

/** Returns the size of the body. Throws 411, 413 and 415. */
function readSize(contentType = "", contentLength = ""): number {
  if (!/^application\/(?:mbox|zip|x-zip-compressed|octet-stream)\s*(?:;|$)/i.test(contentType))
    throw unsupportedMediaType("Send the archive as application/zip or application/mbox");
  if (!/^\d{1,15}$/.test(contentLength)) throw new AppError(411, "The body must have a Content-Length");
  const size = Number(contentLength);
  if (size > MAX_ARCHIVE_BYTES) throw tooLarge(`The archive is larger than ${MAX_ARCHIVE_BYTES} bytes`);
  return size;
}
