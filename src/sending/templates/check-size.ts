import { type AppError, conflict } from "../../lib/errors.ts";
import { checkJsonSize } from "../../lib/json-size.ts";
import { mainBudgets } from "../../platform/budgets/main-tables.ts";
import { TEMPLATE_BYTES } from "./rules.ts";
import type { TemplateOut } from "./schema.ts";

/** Returns the size of a template as JSON, in bytes. Throws 413 when it is above TEMPLATE_BYTES. */
export const checkSize = (template: TemplateOut): number =>
  checkJsonSize(JSON.stringify(template), TEMPLATE_BYTES, "template");

/** Returns the 409 for a template beyond the limits of its workspace. */
export function templateLimitError(): AppError {
  const { rows, bytes } = mainBudgets.templates;
  const [most, megabytes] = [rows.toLocaleString("en"), bytes / 1_000_000];
  return conflict(`A workspace has at most ${most} templates, together ${megabytes} MB as JSON; delete some first`);
}
