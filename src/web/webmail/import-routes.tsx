import { download } from "../../http/download.ts";
import { type AppContext, newRoutes } from "../../http/env.ts";
import { readFormWithFiles } from "../../http/file-body.ts";
import { webmailFor } from "../../http/mailbox-page-session.ts";
import { respondPage } from "../../http/page.tsx";
import { attempt } from "../../http/page-routes.ts";
import { inMiB } from "../../lib/bytes.ts";
import { badRequest, tooLarge } from "../../lib/errors.ts";
import { toReadable } from "../../lib/readable.ts";
import { exportMailbox, importArchive, openMailbox } from "../../mailboxes/inbox/index.ts";
import type { ImportCounts } from "../../mailboxes/mailbox-store/index.ts";
import { ImportPage, MAX_FORM_BYTES } from "./import-page.tsx";
import { openPage } from "./open-page.tsx";
import { settingsPath } from "./paths.ts";

const FORM = { maxBytes: MAX_FORM_BYTES, maxTextBytes: 65_536, maxParts: 5 };

/** The page that imports archives into a mailbox, and the archive of its messages. */
export const importPages = newRoutes()
  .get("/mail/import/:mailbox_id", ...webmailFor("GET /v1/inbox/:mailbox_id/imports"), (c) => showImports(c))
  .post("/mail/import/:mailbox_id", ...webmailFor("POST /v1/inbox/:mailbox_id/import"), (c) =>
    attempt(c, showImports, () => importFile(c)),
  )
  .get("/mail/export/:mailbox_id", ...webmailFor("GET /v1/inbox/:mailbox_id/export"), async (c) => {
    const caller = c.get("caller");
    const mailbox = await openMailbox(caller, c.req.param("mailbox_id"));
    const format = c.req.query("format") === "mbox" ? "mbox" : "zip";
    const pieces = await exportMailbox(caller, mailbox, { format, folder: null });
    return c.body(toReadable(pieces), 200, download(`${mailbox.address}.${format}`, `application/${format}`));
  });

async function importFile(c: AppContext): Promise<string | Response> {
  const page = await openPage(c);
  const result = await readFormWithFiles(c, FORM, async ({ files: [file], isTooLarge }) => {
    if (isTooLarge)
      throw tooLarge(`The archive is larger than ${inMiB(MAX_FORM_BYTES)}; import it by the API, or folder by folder`);
    if (!file?.bytes.length) throw badRequest("Choose a ZIP archive or an mbox file");
    const { bytes } = file;
    const pieces = async function* () {
      yield bytes;
    };
    return importArchive(page.caller, page.mailbox, {
      body: toReadable(pieces()),
      size: bytes.length,
      folder: "INBOX",
    });
  });
  return "started" in result ? settingsPath(page.mailbox.id, "import") : showImports(c, result.counts);
}

async function showImports(c: AppContext, imported?: ImportCounts) {
  const page = await openPage(c);
  const imports = await page.mailbox.store.listImports();
  return respondPage(c, <ImportPage page={page} imports={imports} imported={imported} />);
}
