import type { Middleware } from "../../http/env.ts";
import { fileBody } from "../../http/file-body.ts";
import { attempt, type Show } from "../../http/page-routes.ts";
import { counted, ErrorList, Field } from "../../http/ui/index.ts";
import { inMiB } from "../../lib/bytes.ts";
import { formatRecord } from "../../lib/csv/cells.ts";
import { REASON_COLUMN } from "../../lib/csv/guess.ts";
import { importLimits } from "../../lib/csv/limits.ts";
import type { RefusedRow } from "../../platform/csv-imports/import-rows.ts";
import type { ImportedRows } from "../../platform/csv-imports/schema.ts";

/** Reads the CSV file of a form, and shows the form again when it cannot be read. */
export const readCsv =
  (show: Show): Middleware =>
  (c, next) =>
    attempt(c, show, async () => {
      await fileBody("file", importLimits.fileBytes)(c, next);
      return c.res;
    });

/** The field of a CSV file that is imported. */
export const CsvField = () => (
  <Field
    name="file"
    label="CSV file"
    type="file"
    accept=".csv,text/csv"
    hint={`In UTF-8, UTF-16 or windows-1252, separated by commas, semicolons, tabs or |. At most ${importLimits.rows.toLocaleString("en")} rows and ${inMiB(importLimits.fileBytes)}.`}
    maxBytes={importLimits.fileBytes}
  />
);

/** Refused rows that a page lists. */
const LISTED_ERRORS = 1_000;

/** A CSV file of rows that were refused, to be mended and imported again, and their number: the first ones of many. */
export interface RefusedFile {
  text: string;
  rows: number;
}

/** Characters of the file: it is a part of the page. */
const REFUSED_CHARACTERS = 262_144;

/** Collects the rows that an import refuses, each with its reason. */
export function collectRefused() {
  const file: RefusedFile = { text: "", rows: 0 };
  return {
    add({ header, cells, issue }: RefusedRow) {
      if (file.text.length > REFUSED_CHARACTERS) return;
      if (file.rows === 0) file.text = formatRecord([REASON_COLUMN, ...header]);
      file.text += formatRecord([issue, ...cells]);
      file.rows += 1;
    },
    file: () => (file.rows === 0 ? undefined : file),
  };
}

/** Shows how many rows of a file were imported, and why others were not. */
export const Imported = ({
  imported: { imported, skipped, updated = 0, errors, encoding },
  refused,
}: ImportedProps) => (
  <section class={`notice ${errors.length === 0 ? "good" : "warn"}`} role="status" id="result" tabindex={-1}>
    <p>
      {imported.toLocaleString("en")} imported, {updated === 0 ? "" : `${updated.toLocaleString("en")} updated, `}
      {skipped.toLocaleString("en")} skipped, {errors.length.toLocaleString("en")} refused.
      {encoding === "utf-8" ? "" : ` The file was read as ${encoding}.`}
    </p>
    {refused === undefined ? null : (
      <p>
        <a download="refused rows.csv" href={`data:text/csv;charset=utf-8,${encodeURIComponent(refused.text)}`}>
          Download{" "}
          {refused.rows === errors.length ? "the refused rows" : `the first ${counted(refused.rows, "refused row")}`}
        </a>{" "}
        to mend and import them again.
      </p>
    )}
    <ErrorList errors={errors.slice(0, LISTED_ERRORS)} />
    {errors.length <= LISTED_ERRORS ? null : (
      <p>
        {(errors.length - LISTED_ERRORS).toLocaleString("en")} more rows were refused. The response of the API names
        each of them.
      </p>
    )}
  </section>
);

/** The result of an import, as its page shows it. */
export interface ImportedProps {
  imported: ImportedRows;
  refused?: RefusedFile | undefined;
}
