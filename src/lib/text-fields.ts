/** Schemas of short texts in requests. The OpenAPI document has the type of a nullable text only when `meta` follows `nullable`. */
import * as z from "zod";
import { nameIssue, UNPRINTABLE } from "./text-rules.ts";

/** Returns whether a text has at most `max` code points. */
const isWithin = (text: string, max: number): boolean => text.length <= 2 * max && Array.from(text).length <= max;

/** Returns the schema of a text of at most `max` characters. */
export const limitedText = (field: string, max: number) =>
  z.string().refine((text) => isWithin(text, max), `${field} must have at most ${max} characters`);

/** Returns the schema of a trimmed text of 1 to `max` characters, which may have line breaks. */
export const paragraphText = (field: string, max: number) =>
  z
    .string()
    .trim()
    .refine((text) => text !== "" && isWithin(text, max), `${field} must have 1 to ${max} characters`);

/** Returns the schema of a trimmed text of 1 to `max` characters on one line. */
export const lineText = (field: string, max: number) =>
  z
    .string()
    .refine((text) => !UNPRINTABLE.test(text), `${field} must not contain control characters or line breaks`)
    .trim()
    .refine((text) => text !== "" && isWithin(text, max), `${field} must have 1 to ${max} characters`);

/** Returns the schema of a `lineText` with its limits in the OpenAPI document. */
export const lineField = (field: string, max: number) => lineText(field, max).meta({ minLength: 1, maxLength: max });

/** Refuses a name that is too long or has control or invisible characters, for `superRefine`. */
export function checkName(name: string | null, context: z.core.$RefinementCtx): void {
  const issue = nameIssue(name ?? "");
  if (issue) context.addIssue({ code: "custom", message: issue });
}

/** The name of a person or a mailbox, as mail programs show it. A blank one becomes null. */
export const nameField = z
  .string()
  .transform((name) => name.trim() || null)
  .superRefine(checkName)
  .nullable()
  .meta({ maxLength: 320, pattern: "^[^\\u0000-\\u001f\\u007f\\u2028\\u2029]*$" })
  .describe("At most 320 bytes, without control and invisible characters.");
