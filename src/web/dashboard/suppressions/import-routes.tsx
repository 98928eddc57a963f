import { type AppContext, newRoutes } from "../../../http/env.ts";
import { respondPage } from "../../../http/page.tsx";
import { attempt, pageFor } from "../../../http/page-routes.ts";
import { AppLayout, ErrorSummary, Facts, Form } from "../../../http/ui/index.ts";
import type { ImportedRows } from "../../../platform/csv-imports/schema.ts";
import { importSuppressions } from "../../../sending/suppressions/index.ts";
import { CsvField, Imported, readCsv } from "../csv-import.tsx";

const PATH = "/app/suppressions/import";
const IMPORT = "POST /v1/suppressions/import";

/** The page that imports suppressed addresses. */
export const importPages = newRoutes()
  .get(PATH, ...pageFor(IMPORT), (c) => showImport(c))
  .post(PATH, ...pageFor(IMPORT), readCsv(showImport), (c) =>
    attempt(c, showImport, async () => {
      const bytes = c.get("file") ?? new Uint8Array();
      return showImport(c, await importSuppressions(c.get("caller"), bytes, "manual"));
    }),
  );

function showImport(c: AppContext, imported?: ImportedRows) {
  return respondPage(c, <ImportPage imported={imported} />);
}

const ImportPage = ({ imported }: { imported: ImportedRows | undefined }) => (
  <AppLayout title="Import suppressions" at="/app/suppressions">
    {imported === undefined ? null : <Imported imported={imported} />}
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
