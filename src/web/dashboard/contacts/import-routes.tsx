import { getList, importContacts, toList } from "../../../audience/contacts/index.ts";
import { type AppContext, type Middleware, newRoutes } from "../../../http/env.ts";
import { respondPage } from "../../../http/page.tsx";
import { attempt, pageFor } from "../../../http/page-routes.ts";
import { type CsvPreview, PREVIEW_BYTES, previewFile } from "../../../lib/csv/preview.ts";
import { badRequest } from "../../../lib/errors.ts";
import type { ImportedRows } from "../../../platform/csv-imports/schema.ts";
import { readCsv } from "../csv-import.tsx";
import { ImportPage } from "./import-page.tsx";

const IMPORT = "POST /v1/contacts/:list_id/upload";

/** Returns 404 for an unknown list before the file is read. */
const requireList: Middleware = async (c, next) => {
  await getList(c.get("caller"), c.req.param("list_id") ?? "");
  await next();
};

/** The page that imports contacts. Without the script, a file can be checked first, which imports nothing. */
export const importPages = newRoutes()
  .get("/app/contacts/:list_id/import", ...pageFor(IMPORT), (c) => showImport(c))
  .post("/app/contacts/:list_id/import", ...pageFor(IMPORT), requireList, readCsv(showImport), (c) =>
    attempt(c, showImport, async () => {
      const bytes = c.get("file") ?? new Uint8Array();
      return showImport(c, { imported: await importContacts(c.get("caller"), c.req.param("list_id"), bytes) });
    }),
  )
  .post("/app/contacts/:list_id/import/check", ...pageFor(IMPORT), requireList, readCsv(showImport), (c) =>
    attempt(c, showImport, async () => {
      const bytes = c.get("file") ?? new Uint8Array();
      const preview = previewFile(bytes.subarray(0, PREVIEW_BYTES), bytes.length <= PREVIEW_BYTES);
      if ("issue" in preview) throw badRequest(preview.issue);
      return showImport(c, { preview });
    }),
  );

async function showImport(c: AppContext, result: { preview?: CsvPreview; imported?: ImportedRows } = {}) {
  const list = toList(await getList(c.get("caller"), c.req.param("list_id") ?? ""));
  return respondPage(c, <ImportPage list={list} {...result} />);
}
