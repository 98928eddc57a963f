import {
  MaxFileSizeExceededError,
  MaxTotalSizeExceededError,
  MultipartParseError,
  MultipartParser,
  type MultipartPart,
  parseMultipart,
} from "@remix-run/multipart-parser";
import { concat, toBase64 } from "../lib/bytes.ts";
import { AppError, tooLarge, unprocessable, unsupportedMediaType } from "../lib/errors.ts";
import type { BodyHold } from "./body-budget.ts";
import { type BodyStream, requireUncompressed } from "./body-stream.ts";
import type { AppContext, Middleware } from "./env.ts";
import { bodyOf, readBytes } from "./fields.ts";
import { largeBodies } from "./json-body.ts";
import { decode } from "./json-errors.ts";

/** Parts of an upload: the file, and fields that clients add. */
const MAX_PARTS = 20;
/** Parts that are not the file, and headers. */
const OTHER_BYTES = 65_536;
/** Bytes of the boundary and the header of a part. */
const PART_OVERHEAD = 8_192;
/** Memory beside the file while it is read and processed. */
const WORKING_BYTES = 4_000_000;

/**
 * Returns the middleware that reads the file of a multipart/form-data body (RFC 7578) from the part named `field` into
 * memory; other parts are ignored. The fingerprint of the request is that of the file, since every client chooses
 * another boundary. Throws 415 for another media type or a compressed body, 413 for a file beyond `maxBytes`, 422 for a
 * malformed body or a missing file, 408 for a client that is too slow, 429 when the isolate has no memory for it.
 */
export function fileBody(field: string, maxBytes: number): Middleware {
  const limits = { maxFileSize: maxBytes, maxParts: MAX_PARTS, maxTotalSize: maxBytes + OTHER_BYTES };
  return (c, next) =>
    withParts(c, limits, async (parts, error) => {
      if (error) throw toAppError(error, field, maxBytes);
      const part = parts.find(({ name }) => name === field);
      if (!part) throw unprocessable([{ loc: ["body", field], msg: `${field} is required`, type: "missing" }]);
      const { bytes, ...info } = toFile(part);
      c.set("file", bytes);
      c.set("fileInfo", info);
      c.set("bodyFingerprint", async () => toBase64(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))));
      await next();
    });
}

/** Returns the boundary of the body. Throws 415 when it is not multipart/form-data by its headers. */
function requireMultipart(c: AppContext): string {
  const contentType = c.req.header("Content-Type") ?? "";
  const [, quoted, plain] =
    /^multipart\/form-data\s*;.*?\bboundary=(?:"([^"]{1,70})"|([^\s";,]{1,70}))(?=[\s;]|$)/i.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  // The parser compares bytes, and a boundary is printable ASCII (RFC 2046 5.1.1).
  if (!boundary || !/^[\x20-\x7e]+$/.test(boundary))
    throw unsupportedMediaType("The body must be multipart/form-data with a boundary of 1 to 70 characters");
  requireUncompressed(c.req.raw.headers);
  return boundary;
}

interface PartLimits {
  maxFileSize: number;
  maxParts: number;
  maxTotalSize: number;
}

/** Reads the parts of a body and holds their memory while `use` runs, which gets the error of reading too, and the parts before it. */
async function withParts<Result>(
  c: AppContext,
  limits: PartLimits,
  use: (parts: readonly MultipartPart[], error?: unknown) => Promise<Result>,
): Promise<Result> {
  const boundary = requireMultipart(c);
  const stream = bodyOf(c);
  const hold = largeBodies.open(c.get("caller").workspace.number);
  const parts: MultipartPart[] = [];
  try {
    const error = await readParts(stream, hold, boundary, limits, parts).catch(async (error: unknown) => {
      await (isUnreadable(error) ? stream.cancel() : stream.drain());
      return error;
    });
    return await use(parts, error);
  } finally {
    hold.free();
  }
}

/** Reads the parts of a body into one buffer, of which the parser gets views, so that no part is copied. */
async function readParts(
  stream: BodyStream,
  hold: BodyHold,
  boundary: string,
  limits: PartLimits,
  parts: MultipartPart[],
): Promise<void> {
  const parser = new MultipartParser(boundary, limits);
  // It grows in place, and a route can shrink it while it processes the file.
  const body = new ArrayBuffer(0, { maxByteLength: limits.maxTotalSize + limits.maxParts * PART_OVERHEAD });
  let size = 0;
  for (let chunk = await stream.next(); chunk; chunk = await stream.next()) {
    if (size + chunk.byteLength > body.maxByteLength) throw new MaxFileSizeExceededError(limits.maxFileSize);
    await hold.growTo(size + chunk.byteLength + WORKING_BYTES);
    body.resize(size + chunk.byteLength);
    const view = new Uint8Array(body, size, chunk.byteLength);
    view.set(chunk);
    size += chunk.byteLength;
    // One by one, so that those before a part that is too large are known.
    for (const part of parser.write(view)) parts.push(part);
  }
  parser.finish();
}

/** A form with files: its text fields, and the files that were chosen, by field. */
export interface FormWithFiles {
  fields: URLSearchParams;
  files: (ReturnType<typeof toFile> & { field: string })[];
  /** True when the files were larger than allowed. The fields are then those before the first file, and there are no files. */
  isTooLarge: boolean;
  /** True when the text fields were larger than allowed. The longest of them is cut. */
  isTextTooLarge: boolean;
}

/**
 * Reads a form of a page as multipart/form-data, with files of at most `maxBytes` together, and passes it to `use`, which must
 * not keep the bytes. Fields without a file name are text, of at most `maxTextBytes` together: the longest is cut to that. Throws 413
 * when the others exceed it alone, and otherwise as the middleware of `fileBody` does.
 */
export async function readFormWithFiles<Result>(
  c: AppContext,
  { maxBytes, maxTextBytes, maxParts }: { maxBytes: number; maxTextBytes: number; maxParts: number },
  use: (form: FormWithFiles) => Promise<Result>,
): Promise<Result> {
  const limits = { maxFileSize: maxBytes, maxParts, maxTotalSize: maxBytes + maxTextBytes };
  return withParts(c, limits, async (parts, error) => {
    const isTooLarge = isTooLargeError(error);
    if (error && !isTooLarge) throw toAppError(error, "The form", maxBytes);
    const isFile = ({ filename }: MultipartPart) => filename !== undefined;
    const texts = parts.filter((part) => !isFile(part) && part.name !== undefined);
    const { longest, bytes: most } = longestText(texts, maxTextBytes);
    const fields = new URLSearchParams(
      texts.map((part) => [part.name ?? "", decode(concat(part.content), part === longest ? most : part.size)]),
    );
    // Browsers send a part without name and content for a field of files in which none is chosen.
    const chosen = parts.filter((part) => isFile(part) && (part.filename !== "" || part.size > 0));
    const files = isTooLarge ? [] : chosen.map((part) => ({ field: part.name ?? "", ...toFile(part) }));
    return use({ fields, files, isTooLarge, isTextTooLarge: (longest?.size ?? 0) > most });
  });
}

/**
 * Reads a form of at most 16 KiB and 100 fields as multipart/form-data, as if it were urlencoded: of a file the name counts
 * (HTML 4.10.21.5). Throws as `readForm` does, and 422 when it is malformed.
 */
export async function readMultipartForm(c: AppContext): Promise<URLSearchParams> {
  const options = { boundary: requireMultipart(c), maxParts: 100 };
  try {
    const parts = [...parseMultipart(await readBytes(c), options)];
    const textOf = ({ filename, content }: MultipartPart) => filename ?? decode(concat(content));
    const fields = new URLSearchParams(parts.map((part) => [part.name ?? "", textOf(part)]));
    c.set("form", fields);
    return fields;
  } catch (error) {
    throw toAppError(error, "The form", 0);
  }
}

/** Returns the longest of text fields, and how many bytes the others leave to it. Throws 413 when they leave none. */
function longestText(texts: readonly MultipartPart[], maxBytes: number) {
  const [longest] = texts.toSorted((a, b) => b.size - a.size);
  const others = texts.reduce((sum, { size }) => sum + size, 0) - (longest?.size ?? 0);
  if (others > maxBytes) throw tooLarge(`The text of the form is larger than ${maxBytes} bytes`);
  return { longest, bytes: maxBytes - others };
}

function toFile(part: MultipartPart) {
  return { bytes: fileOf(part), filename: part.filename ?? null, mediaType: part.mediaType ?? null };
}

/** Returns the bytes of a part: the range of the body that its first piece begins. */
function fileOf(part: MultipartPart): Uint8Array<ArrayBuffer> {
  const [first] = part.content;
  // The body grows in place, so its buffer is the only resizable one. The parser copies a piece that ends with the start of a boundary.
  if (!(first?.buffer instanceof ArrayBuffer) || !first.buffer.resizable) return concat(part.content);
  return new Uint8Array(first.buffer, first.byteOffset, part.size);
}

/** A client that is too slow, or for which there is no memory, is not read any further. */
const isUnreadable = (error: unknown) => error instanceof AppError && (error.status === 408 || error.status === 429);

const isTooLargeError = (error: unknown) =>
  error instanceof MaxFileSizeExceededError || error instanceof MaxTotalSizeExceededError;

function toAppError(error: unknown, field: string, maxBytes: number): unknown {
  if (isTooLargeError(error)) return tooLarge(`${field} is larger than ${maxBytes} bytes`);
  if (!(error instanceof MultipartParseError) && !(error instanceof TypeError)) return error;
  const msg = "The body is not valid multipart/form-data";
  return unprocessable([{ loc: ["body"], msg, type: "multipart_invalid" }]);
}
