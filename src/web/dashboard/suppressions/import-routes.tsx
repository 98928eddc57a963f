import { type AppContext, newRoutes } from "../../../http/env.ts";
import { respondPage } from "../../../http/page.tsx";
import { attempt, pageFor } from "../../../http/page-routes.ts";
import { AppLayout, ErrorSummary, Facts, Form } from "../../../http/ui/index.ts";
import { importSuppressions } from "../../../sending/suppressions/index.ts";
import { CsvField, collectRefused, Imported, type ImportedProps, readCsv } from "../csv-import.tsx";

const PATH = "/app/suppressions/import";
const IMPORT = "POST /v1/suppressions/import";

/** The page that imports suppressed addresses. */
export const importPages = newRoutes()
  .get(PATH, ...pageFor(IMPORT), (c) => showImport(c))
  .post(PATH, ...pageFor(IMPORT), readCsv(showImport), (c) =>
    attempt(c, showImport, async () => {
      const bytes = c.get("file") ?? new Uint8Array();
      const refused = collectRefused();
      const imported = await importSuppressions(c.get("caller"), bytes, "manual", refused.add);
      return showImport(c, { imported, refused: refused.file() });
    }),
  );

function showImport(c: AppContext, result?: ImportedProps) {
  return respondPage(c, <ImportPage result={result} />);
}

const ImportPage = ({ result }: { result: ImportedProps | undefined }) => (
  <AppLayout title="Import suppressions" at="/app/suppressions">
    {result === undefined ? null : <Imported {...result} />}
    <ErrorSummary />
    <p>Addresses that unsubscribed, bounced or complained at another service get no email from here either.</p>
    <Form action={PATH} enctype="multipart/form-data">
      <CsvField />
      <button type="submit">Import</button>
    </Form>
    <h2>Columns</h2>
    <Facts
      of={{
        email: "Is required. Rows without an address are skipped.",
        reason:
          "Unsubscribed, bounced, complained or by hand, in the words of the other service. Without it: by hand, which stops all mail.",
        created_at: (
          <>
            When it happened, such as <code>2026-03-04T05:06:07Z</code>. Without it: now.
          </>
        ),
      }}
    />
  </AppLayout>
);
