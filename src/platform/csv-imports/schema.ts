import * as z from "zod";
import { encodings } from "../../lib/csv/encodings.ts";

/** Returns the schema of the result of an import. `imported`, `skipped`: which rows these count. */
export const importedRows = ({ imported, skipped }: { imported: string; skipped: string }) =>
  z.object({
    imported: z.int().describe(imported),
    skipped: z.int().describe(skipped),
    updated: z.int().optional().describe("With `existing=update`: contacts of the list that were changed."),
    errors: z.array(z.string()).describe("One text for each rejected row, with its number and the reason."),
    encoding: z.enum(encodings).describe("The encoding in which the file was read."),
  });

/** The result of an import, by the rows of its file. */
export type ImportedRows = z.output<ReturnType<typeof importedRows>>;

export const importExample: ImportedRows = {
  imported: 2,
  skipped: 1,
  errors: ['Row 3: "ada@" is not a valid email address'],
  encoding: "utf-8",
};
