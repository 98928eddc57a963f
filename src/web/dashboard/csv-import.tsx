import type { Middleware } from "../../http/env.ts";
import { fileBody } from "../../http/file-body.ts";
import { attempt, type Show } from "../../http/page-routes.ts";
import { ErrorList, Field } from "../../http/ui/index.ts";
import { inMiB } from "../../lib/bytes.ts";
import { importLimits } from "../../lib/csv/limits.ts";
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

/** Shows how many rows of a file were imported, and why others were not. */
export const Imported = ({ imported: { imported, skipped, errors, encoding } }: { imported: ImportedRows }) => (
  <section class={`notice ${errors.length === 0 ? "good" : "warn"}`} role="status" id="result" tabindex={-1}>
    <p>
      {imported.toLocaleString("en")} imported, {skipped.toLocaleString("en")} skipped,{" "}
      {errors.length.toLocaleString("en")} refused.{encoding === "utf-8" ? "" : ` The file was read as ${encoding}.`}
    </p>
    <ErrorList errors={errors.slice(0, LISTED_ERRORS)} />
    {errors.length <= LISTED_ERRORS ? null : (
      <p>
        {(errors.length - LISTED_ERRORS).toLocaleString("en")} more rows were refused. The response of the API names
        each of them.
      </p>
    )}
  </section>
);
