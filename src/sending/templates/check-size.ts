import { utf8Length } from "../../lib/bytes.ts";
import { tooLarge } from "../../lib/errors.ts";
import { TEMPLATE_OCTETS } from "./rules.ts";
import type { TemplateOut } from "./schema.ts";

/** Returns the size of a template as JSON, in octets. Throws 413 when it is above TEMPLATE_OCTETS. */
export function checkSize(template: TemplateOut): number {
  const size = utf8Length(JSON.stringify(template));
  if (size <= TEMPLATE_OCTETS) return size;
  const [actual, limit] = [size, TEMPLATE_OCTETS].map((octets) => octets.toLocaleString("en"));
  throw tooLarge(`The template is ${actual} octets as JSON; the limit is ${limit}`);
}
