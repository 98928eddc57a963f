import { ErrorList, Field } from "../../http/ui/index.ts";
import { inMiB } from "../../lib/bytes.ts";
import type { Encoding } from "../../lib/csv/encodings.ts";
import { importLimits } from "../../lib/csv/limits.ts";

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

interface ImportedProps {
  imported: { imported: number; skipped: number; errors: readonly string[]; encoding: Encoding };
}

/** Shows how many rows of a file were imported, and why others were not. */
export const Imported = ({ imported: { imported, skipped, errors, encoding } }: ImportedProps) => (
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
