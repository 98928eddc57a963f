import type { ListOut } from "../../../audience/contacts/index.ts";
import { AppLayout, Check, counted, ErrorSummary, Form, GivenValues, Select } from "../../../http/ui/index.ts";
import type { ColumnUses } from "../../../lib/csv/columns.ts";
import type { ImportedRows } from "../../../platform/csv-imports/schema.ts";
import { CsvField, Imported, type RefusedFile } from "../csv-import.tsx";

/** The start of a file, and what its columns become unless the user chooses something else. */
interface FileStart {
  header: readonly string[];
  /** A row that is no valid CSV is null. */
  rows: readonly (readonly string[] | null)[];
  uses: ColumnUses;
  topics: readonly { id: string; name: string }[];
}

export interface ImportPageProps {
  list: ListOut;
  /** The start of a file that was checked, and not imported. */
  start?: FileStart | undefined;
  imported?: ImportedRows | undefined;
  refused?: RefusedFile | undefined;
}

/** The page that imports a CSV file: its columns and first rows before, what became of its rows after. The script shows both without a load. */
export function ImportPage({ list, start, imported, refused }: ImportPageProps) {
  const path = `/app/contacts/${list.id}`;
  return (
    <AppLayout title={`Import into ${list.name}`}>
      {imported === undefined ? null : <Imported imported={imported} refused={refused} />}
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
        <div data-rows={`${path}/import/check`}>
          {start === undefined ? (
            <p>Choose a file to see its first rows, and to say what its columns are.</p>
          ) : (
            <Columns start={start} />
          )}
        </div>
        <Check name="existing" value="update" label="Update contacts that the list has already" />
        <div class="actions">
          <button type="submit">Import</button>
          <noscript>
            <button class="quiet" type="submit" formaction={`${path}/import/check`}>
              Show the columns
            </button>
          </noscript>
        </div>
        <div data-status="" role="status" />
      </Form>
    </AppLayout>
  );
}

/** Name of the field that says what a column becomes, by its header. */
export const COLUMN = "column:";

/** Columns that the page asks about. Those after them are imported by their headers. */
const ASKED_COLUMNS = 100;

const USES = {
  email: "Email address",
  name: "Name",
  first_name: "First name",
  last_name: "Last name",
  unsubscribed: "Who left, or when",
};

function Columns({ start: { header, rows, uses, topics } }: { start: FileStart }) {
  const shown = [...new Set(header)].filter((name) => name.trim() !== "").slice(0, ASKED_COLUMNS);
  const firstCells = (name: string) => rows.flatMap((row) => row?.[header.indexOf(name)] || []).join(" · ");
  const choices = {
    ...USES,
    ...Object.fromEntries(topics.map(({ id, name }) => [`topic:${id}`, `Topic ${name}: yes or no`])),
  };
  return (
    <fieldset>
      <legend>Columns of the file</legend>
      <noscript>
        <p>Choose the file again to import it.</p>
      </noscript>
      <GivenValues>
        {shown.map((name) => (
          <Select
            name={COLUMN + encodeURIComponent(name)}
            label={name}
            hint={firstCells(name) || "Empty in the first rows"}
            options={{ ...choices, [`metadata.${name}`]: `The field {{${name}}}` }}
            none="Nothing: leave it out"
            value={uses[name] === null ? "" : (uses[name] ?? `metadata.${name}`)}
          />
        ))}
      </GivenValues>
      {rows.includes(null) ? <p>Some of the first rows are not valid CSV and will be refused.</p> : null}
    </fieldset>
  );
}
