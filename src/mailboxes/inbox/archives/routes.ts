import * as z from "zod";
import { download } from "../../../http/download.ts";
import { newRoutes } from "../../../http/env.ts";
import { largeBodies } from "../../../http/json-body.ts";
import { file, operationsOf, responses, success } from "../../../http/openapi.ts";
import { query } from "../../../http/validate.ts";
import { AppError, badRequest, tooLarge, unsupportedMediaType } from "../../../lib/errors.ts";
import { toReadable } from "../../../lib/readable.ts";
import { open } from "../routes.ts";
import { MAX_ENTRIES } from "./entries.ts";
import { exportMailbox } from "./export.ts";
import { getImport, importArchive } from "./import.ts";
import { importNow } from "./rules.ts";
import { BackgroundImportOut, ExportQuery, ImportOut, ImportQuery, toBackgroundImport } from "./schema.ts";

/** Largest archive, in bytes: the largest body that a plan of Cloudflare accepts. */
const MAX_ARCHIVE_BYTES = 500_000_000;
/** Memory that an import holds: a message of 25 MiB, what is read ahead, and what is parsed. */
const IMPORT_BYTES = 40_000_000;

const operation = operationsOf("Inbox");
const archive = { schema: { type: "string", format: "binary" } } as const;
const EXAMPLE = "From ada@example.org Sat Nov 21 14:12:48 2026\r\nSubject: Hello\r\n\r\nText\r\n\r\n";

const EXPORT_DESCRIPTION = `A ZIP archive of .eml files, or an mbox file (mboxrd quoting). Each message begins with header
fields of its folder, flags, labels, time and size (\`X-Mailbox-…\`), and the archive with a list of the folders and labels;
an import of the archive restores all of them and removes the fields. The archive is written while it is downloaded, so a
failure ends the connection before the archive is complete.`;

const IMPORT_DESCRIPTION = `The body is a ZIP archive with .eml and .mbox files, or an mbox file, of at most ${MAX_ARCHIVE_BYTES} bytes
and ${MAX_ENTRIES} messages of at most 25 MiB each. A Cloudflare plan may allow less for one body: import folder by folder
then. Messages of an export go to their folders with their flags and labels. Otherwise the directory of an .eml file and the name of
an .mbox file become the folder, and messages are marked as seen. A repeated import adds nothing; importing into the
mailbox of the export adds copies. When the mailbox is full,
the import ends, and \`errors\` says so.

An archive of at most ${importNow.archiveBytes} bytes and ${importNow.messages} messages is imported before the response (200). Of a larger one the
response is a 202 with the id of an import that continues in the background; ask for its progress by this id. At most five
run in one mailbox at a time (409).`;

export const archiveRoutes = newRoutes()
  .get(
    "/v1/inbox/:mailbox_id/export",
    operation("inbox:read", "exportInbox", {
      summary: "Export the messages of a mailbox",
      description: EXPORT_DESCRIPTION,
      responses: { ...responses(200, "", null, [403, 404, 502]), ...file("The archive", "application/zip") },
    }),
    query(ExportQuery),
    async (c) => {
      const { format, folder = null } = c.req.valid("query");
      const caller = c.get("caller");
      const mailbox = await open(c);
      const pieces = await exportMailbox(caller, mailbox, { format, folder });
      const name = `${mailbox.address}${folder === null ? "" : ` ${folder}`}.${format}`;
      return c.body(toReadable(pieces), 200, download(name, `application/${format}`));
    },
  )
  .post(
    "/v1/inbox/:mailbox_id/import",
    operation("inbox:write", "importInbox", {
      summary: "Import messages into a mailbox",
      description: IMPORT_DESCRIPTION,
      requestBody: {
        required: true,
        content: {
          "application/mbox": { schema: { ...archive.schema, example: EXAMPLE } },
          "application/zip": archive,
        },
      },
      responses: {
        ...responses(200, "What was imported", ImportOut, [400, 403, 404, 409, 411, 413, 415, 502]),
        ...success(202, "The import that continues in the background", BackgroundImportOut),
      },
    }),
    query(ImportQuery),
    async (c) => {
      const caller = c.get("caller");
      const mailbox = await open(c);
      const size = readSize(c.req.header("Content-Type"), c.req.header("Content-Length"));
      const body = c.req.raw.body;
      if (!body || size === 0) throw badRequest("The body is empty; send a ZIP archive or an mbox file");
      const hold = largeBodies.open(caller.workspace.number);
      try {
        await hold.growTo(IMPORT_BYTES);
        const result = await importArchive(caller, mailbox, { body, size, folder: c.req.valid("query").folder });
        return "started" in result ? c.json(toBackgroundImport(result.started), 202) : c.json(result.counts);
      } finally {
        hold.free();
      }
    },
  )
  .get(
    "/v1/inbox/:mailbox_id/imports",
    operation("inbox:read", "listInboxImports", {
      summary: "List the imports in the background",
      description:
        "The newest 20 of the last 30 days, newest first. Imports that were answered with a 200 are not listed.",
      responses: responses(200, "The imports", z.array(BackgroundImportOut), [403, 404, 502]),
    }),
    async (c) => c.json((await (await open(c)).store.listImports()).map(toBackgroundImport)),
  )
  .get(
    "/v1/inbox/:mailbox_id/imports/:import_id",
    operation("inbox:read", "getInboxImport", {
      summary: "Get the progress of an import in the background",
      responses: responses(200, "The import", BackgroundImportOut, [403, 404, 502]),
    }),
    async (c) => c.json(toBackgroundImport(await getImport(await open(c), c.req.param("import_id")))),
  );

/** Returns the size of the body. Throws 411, 413 and 415. */
function readSize(contentType = "", contentLength = ""): number {
  if (!/^application\/(?:mbox|zip|x-zip-compressed|octet-stream)\s*(?:;|$)/i.test(contentType))
    throw unsupportedMediaType("Send the archive as application/zip or application/mbox");
  if (!/^\d{1,15}$/.test(contentLength)) throw new AppError(411, "The body must have a Content-Length");
  const size = Number(contentLength);
  if (size > MAX_ARCHIVE_BYTES) throw tooLarge(`The archive is larger than ${MAX_ARCHIVE_BYTES} bytes`);
  return size;
}
