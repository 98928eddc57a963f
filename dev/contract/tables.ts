import { accessTables } from "./access-tables.ts";
import { emailTables } from "./email-tables.ts";
import { limitTables } from "./limit-tables.ts";
import { resourceTables } from "./resource-tables.ts";

/** The tables of docs/contract, by the name of their part. Each returns Markdown, made from the tables of the code. */
export const tables: Readonly<Record<string, () => string>> = {
  ...accessTables,
  ...emailTables,
  ...limitTables,
  ...resourceTables,
};
