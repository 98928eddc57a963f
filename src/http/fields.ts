import type * as z from "zod";
import { concat } from "../lib/bytes.ts";
import { RequestTooLargeError, unprocessable, unsupportedMediaType } from "../lib/errors.ts";
import { type BodyStream, requireUncompressed } from "./body-stream.ts";
import { openBody } from "./early-body.ts";
import type { AppContext } from "./env.ts";
import { checkJson, decode, parseJson } from "./json-errors.ts";
import { toValidationErrors } from "./validate.ts";

/** Greatest body of a form or of a sign-in call, in bytes. */
const MAX_BYTES = 16_384;

/** Returns whether a request is a submitted form of a page. Its response is a page or a redirect instead of JSON. */
export const isForm = (c: AppContext): boolean => mediaTypeOf(c) === "application/x-www-form-urlencoded";

/** Returns whether a request is a submitted form with files. */
export const isMultipart = (c: AppContext) => mediaTypeOf(c) === "multipart/form-data";

/** Reads a small JSON or form body, by default of MAX_BYTES, and validates its fields: of repeated ones the last. Throws 413, 415, 422. */
export async function readFields<Schema extends z.ZodType>(c: AppContext, schema: Schema, maxBytes = MAX_BYTES) {
  if (!isForm(c) && mediaTypeOf(c) !== "application/json")
    throw unsupportedMediaType("The body must be application/json or application/x-www-form-urlencoded");
  requireUncompressed(c.req.raw.headers);
  const bytes = await readBytes(c, maxBytes);
  const value = isForm(c) ? Object.fromEntries(new URLSearchParams(decode(bytes))) : parseJson(bytes);
  checkJson(value, "record");
  const result = await schema.safeParseAsync(value, { reportInput: true });
  if (!result.success) throw unprocessable(toValidationErrors("body", result.error.issues, value));
  return result.data;
}

const mediaTypeOf = (c: AppContext) => c.req.header("Content-Type")?.split(";")[0]?.trim().toLowerCase() ?? "";

/** Returns the body of a request, also when its start was read already. */
export const bodyOf = (c: AppContext): BodyStream => c.get("bodyStream") ?? openBody(c, false);

/** Reads a body of at most `maxBytes`. Throws 413. */
export async function readBytes(c: AppContext, maxBytes = MAX_BYTES): Promise<Uint8Array> {
  const stream = bodyOf(c);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (let chunk = await stream.next(); chunk !== null; chunk = await stream.next()) {
    size += chunk.byteLength;
    if (size > maxBytes) {
      await stream.drain();
      throw new RequestTooLargeError(`The body is larger than ${maxBytes} bytes`);
    }
    chunks.push(chunk.slice());
  }
  return concat(chunks);
}
