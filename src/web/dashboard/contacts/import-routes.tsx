import { ColumnUsesIn, getList, guessColumns, importContacts, toList } from "../../../audience/contacts/index.ts";
import { type AppContext, newRoutes } from "../../../http/env.ts";
import { readFormWithFiles } from "../../../http/file-body.ts";
import { respondPage } from "../../../http/page.tsx";
import { attempt, pageFor, parseFields } from "../../../http/page-routes.ts";
import { importLimits } from "../../../lib/csv/limits.ts";
import { badRequest, tooLarge } from "../../../lib/errors.ts";
import { tryOr } from "../../../lib/try-or.ts";
import { MOST_COUNTED } from "../../../platform/budgets/budget.ts";
import { listTopics } from "../../../sending/topics/index.ts";
import { collectRefused } from "../csv-import.tsx";
import { COLUMN, ImportPage, type ImportPageProps } from "./import-page.tsx";

const IMPORT = "POST /v1/contacts/:list_id/upload";
const FORM = { maxBytes: importLimits.fileBytes, maxTextBytes: 65_536, maxParts: 200 };

/** The page that imports contacts. A file can be checked first, which imports nothing: the script sends the start of the file only. */
export const importPages = newRoutes()
  .get("/app/contacts/:list_id/import", ...pageFor(IMPORT), (c) => showImport(c))
  .post("/app/contacts/:list_id/import", ...pageFor(IMPORT), (c) =>
    withFile(c, async (file, fields) => {
      const refused = collectRefused();
      const imported = await importContacts(c.get("caller"), c.req.param("list_id"), file, {
        columns: usesOf(fields),
        existing: fields.get("existing") === "update" ? "update" : "skip",
        onRefused: refused.add,
      });
      return showImport(c, { imported, refused: refused.file() });
    }),
  )
  .post("/app/contacts/:list_id/import/check", ...pageFor(IMPORT), (c) =>
    withFile(c, async (file) => {
      const caller = c.get("caller");
      const topics = await listTopics(caller, { limit: MOST_COUNTED });
      return showImport(c, { start: { ...(await guessColumns(file, caller.now())), topics } });
    }),
  );

/** Reads the file of the form, and shows the form again when it is refused. Returns 404 for an unknown list before that. */
const withFile = (c: AppContext, use: (file: Uint8Array, fields: URLSearchParams) => Promise<Response>) =>
  attempt(c, showImport, async () => {
    await getList(c.get("caller"), c.req.param("list_id") ?? "");
    return readFormWithFiles(c, FORM, async ({ fields, files: [file], isTooLarge }) => {
      if (isTooLarge) throw tooLarge(`file is larger than ${importLimits.fileBytes} bytes`);
      if (!file) throw badRequest("Choose a CSV file");
      return use(file.bytes, fields);
    });
  });

/** Returns what the columns become, by the fields that were chosen. */
function usesOf(fields: URLSearchParams) {
  const uses = [...fields].flatMap(([field, use]) => {
    if (!field.startsWith(COLUMN)) return [];
    const name = field.slice(COLUMN.length);
    return [[tryOr(() => decodeURIComponent(name), name), use === "" ? null : use]];
  });
  return parseFields(ColumnUsesIn, Object.fromEntries(uses));
}

async function showImport(c: AppContext, result: Omit<ImportPageProps, "list"> = {}) {
  const list = toList(await getList(c.get("caller"), c.req.param("list_id") ?? ""));
  return respondPage(c, <ImportPage list={list} {...result} />);
}
