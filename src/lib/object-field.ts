import * as z from "zod";
import { utf8Length } from "./bytes.ts";
import { findInexactNumber, INEXACT_NUMBER } from "./inexact-numbers.ts";

/** Returns the schema of a JSON object of at most `maxBytes`, whose numbers are exact. A record of zod would drop the key `__proto__`. */
export const objectField = (field: string, maxBytes: number) =>
  z
    .custom<Record<string, unknown>>((value) => typeof value === "object" && value !== null && !Array.isArray(value), {
      error: `${field} must be an object`,
    })
    .superRefine((value, context) => {
      const message = jsonSizeIssue(field, JSON.stringify(value), maxBytes);
      if (message) context.addIssue({ code: "custom", message });
      const path = findInexactNumber(value);
      if (path) context.addIssue({ code: "custom", path, message: INEXACT_NUMBER });
    });

/** Returns why the JSON of a field is refused, or null when it is within `maxBytes`. */
export function jsonSizeIssue(field: string, json: string, maxBytes: number): string | null {
  const bytes = utf8Length(json);
  return bytes > maxBytes ? `${field} is ${bytes} bytes of JSON; the limit is ${maxBytes}` : null;
}
