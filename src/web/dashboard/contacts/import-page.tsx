import type { ListOut } from "../../../audience/contacts/index.ts";
import { AppLayout, counted, ErrorSummary, Facts, Form, files, Table } from "../../../http/ui/index.ts";
import type { CsvPreview } from "../../../lib/csv/preview.ts";
import type { ImportedRows } from "../../../platform/csv-imports/schema.ts";
import { CsvField, Imported } from "../csv-import.tsx";

interface ImportPageProps {
  list: ListOut;
  /** The first rows of a file that was checked, and not imported. */
  preview?: CsvPreview | undefined;
  imported?: ImportedRows | undefined;
}

/** The page that imports a CSV file: its first rows before, what became of its rows after. The script shows both without a load. */
export function ImportPage({ list, preview, imported }: ImportPageProps) {
  const path = `/app/contacts/${list.id}`;
  return (
    <AppLayout title={`Import into ${list.name}`}>
      {imported === undefined ? null : <Imported imported={imported} />}
      <ErrorSummary />
      <p id="list-count" data-live="">
        The list has {counted(list.contact_count, "contact")}. <a href={path}>Show the list</a>
      </p>
      <Form
        action={`${path}/import`}
        enctype="multipart/form-data"
        data-import="Importing the contacts… This page shows the result."
      >
        <CsvField />
        <div data-rows={files.previewScript}>{preview === undefined ? null : <FirstRows preview={preview} />}</div>
        <div class="actions">
          <button type="submit">Import</button>
          <noscript>
            <button class="quiet" type="submit" formaction={`${path}/import/check`}>
              Show the first rows
            </button>
          </noscript>
        </div>
        <div data-status="" role="status" />
      </Form>
      <h2>Columns</h2>
      <Facts
        of={{
          email:
            "Is required; E-mail and the column E-mail 1 - Value of Google Contacts are read too. Rows without an address, and addresses that the list has, are skipped.",
          name: "The name of the contact.",
          "Any other": <>A detail of the contact: broadcasts fill {"{{city}}"} in from the column city.</>,
        }}
      />
    </AppLayout>
  );
}

const FirstRows = ({ preview: { columns, rows } }: { preview: CsvPreview }) => (
  <>
    <p>These are the first rows. Choose the file again to import it.</p>
    <Table caption="First rows of the file" columns={["Row", ...columns]}>
      {rows.map(({ row, values }) => (
        <tr>
          <td>{row}</td>
          {values === null ? (
            <td colspan={columns.length}>Is not valid CSV and will be refused.</td>
          ) : (
            values.map((value) => <td>{value}</td>)
          )}
        </tr>
      ))}
    </Table>
  </>
);
