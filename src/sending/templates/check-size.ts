import { utf8Length } from "../../lib/bytes.ts";
import { type AppError, conflict, tooLarge } from "../../lib/errors.ts";
import { limits, TEMPLATE_BYTES } from "./rules.ts";
import type { TemplateOut } from "./schema.ts";

/** Returns the size of a template as JSON, in bytes. Throws 413 when it is above TEMPLATE_BYTES. */
export function checkSize(template: TemplateOut): number {
  const size = utf8Length(JSON.stringify(template));
  if (size <= TEMPLATE_BYTES) return size;
  const [actual, limit] = [size, TEMPLATE_BYTES].map((bytes) => bytes.toLocaleString("en"));
  throw tooLarge(`The template is ${actual} bytes as JSON; the limit is ${limit}`);
}

/** Returns the 409 for a template beyond the limits of its workspace. */
export function templateLimitError(): AppError {
  const [most, megabytes] = [limits.templatesPerWorkspace.toLocaleString("en"), limits.bytesPerWorkspace / 1_000_000];
  return conflict(`A workspace has at most ${most} templates, together ${megabytes} MB as JSON; delete some first`);
}
