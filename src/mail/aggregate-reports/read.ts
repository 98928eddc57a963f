import { crc32, gunzipSync, inflateRawSync, type ZlibOptions } from "node:zlib";
import { concat } from "../../lib/bytes.ts";
import { tryOr } from "../../lib/try-or.ts";
import { type ByteSource, checkBytes, openZipFile, readDirectory, ZipError } from "../../lib/zip/reader.ts";
import { parseMessage } from "../messages/parse.ts";
import type { MessagePart } from "../messages/parts.ts";
import { decodeWhole } from "../mime/body-decoder.ts";
import { parseDmarcReport } from "./parse-dmarc.ts";
import { parseTlsReport } from "./parse-tls.ts";
import { bounds } from "./rules.ts";
import { type AggregateReport, ReportError } from "./types.ts";

/**
 * Reads the report in a message of at most `bounds.messageBytes`: an XML or JSON file, also in gzip or zip, or the body itself.
 * Throws ReportError when there is none, or it cannot be read.
 */
export async function readAggregateReport(raw: Uint8Array): Promise<AggregateReport> {
  const candidates = parseMessage(raw).parts.filter(mayBeReport).slice(0, bounds.parts);
  let [left, failure]: [number, unknown] = [bounds.reportBytes, null];
  for (const part of candidates)
    try {
      const bytes = await readFile(decodeWhole(raw.subarray(part.at, part.at + part.length), part.encoding), left);
      left -= bytes.length;
      const text = decode(bytes).trimStart();
      if (text.startsWith("<")) return parseDmarcReport(text);
      if (text.startsWith("{")) return parseTlsReport(text);
    } catch (error) {
      // Another file may stand beside the report, such as the sender's logo.
      failure ??= error;
    }
  throw failure ?? new ReportError("the message has no report");
}

/** Text and HTML that are shown are seldom the report. A message that is a single file has no other part. */
const mayBeReport = ({ contentType, filename }: MessagePart) =>
  filename !== null || !["text/plain", "text/html"].includes(contentType);

/** Decodes a file as UTF-8, or as the UTF-16 that its first bytes show: some write that whatever the XML declares. */
function decode(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const isLittle = (first === 0xff && second === 0xfe) || second === 0;
  const isBig = (first === 0xfe && second === 0xff) || first === 0;
  return new TextDecoder(isLittle ? "utf-16le" : isBig ? "utf-16be" : "utf-8").decode(bytes);
}

/**
 * Returns the bytes of a file, decompressed by what its first bytes say, since types and names are often wrong. Once: an archive in
 * another one is no report. Throws ReportError when they are more than `maxBytes`.
 */
async function readFile(file: Uint8Array, maxBytes: number): Promise<Uint8Array> {
  const bytes = isGzip(file) ? gunzip(file, maxBytes) : isZip(file) ? await unzip(file, maxBytes) : file;
  if (bytes.length > maxBytes) throw tooLarge();
  return bytes;
}

const isGzip = (file: Uint8Array) => file[0] === 0x1f && file[1] === 0x8b;
const isZip = (file: Uint8Array) => file[0] === 0x50 && file[1] === 0x4b;
const tooLarge = () => new ReportError(`the report is larger than ${bounds.reportBytes} bytes`);

function gunzip(file: Uint8Array, maxBytes: number): Uint8Array {
  const options = { maxOutputLength: Math.max(maxBytes, 1) };
  try {
    return gunzipSync(file, options);
  } catch (error) {
    const first = tryOr(() => inflateFirst(file, options), null);
    if (first === null) throw new ReportError(`the file cannot be decompressed: ${error}`);
    return first;
  }
}

/**
 * Returns the first of the files in one of gzip (RFC 1952 2.2), or null when its checksum is another: some senders write bytes behind it,
 * which zlib takes for a second file. Throws the errors of zlib.
 */
function inflateFirst(file: Uint8Array, options: ZlibOptions): Uint8Array | null {
  const data = file.subarray(gzipHeaderSize(file));
  const { buffer, engine } = inflateRawSync(data, { ...options, info: true }) as unknown as Inflated;
  const [a = 0, b = 0, c = 0, d = 0] = data.subarray(engine.bytesWritten);
  return crc32(buffer) === ((d << 24) | (c << 16) | (b << 8) | a) >>> 0 ? buffer : null;
}

/** The result of zlib with `info`: what was decompressed, and of how many bytes. */
interface Inflated {
  buffer: Uint8Array;
  engine: { bytesWritten: number };
}

/** Returns the bytes before the compressed data (RFC 1952 2.3). */
function gzipHeaderSize(file: Uint8Array): number {
  const [flags = 0, low = 0, high = 0] = [file[3], file[10], file[11]];
  let size = 10 + (flags & 4 ? 2 + low + 256 * high : 0);
  // A name and a comment, which each end in a zero.
  for (const text of [8, 16]) if (flags & text) size = file.indexOf(0, size) + 1 || file.length;
  return size + (flags & 2 ? 2 : 0);
}

/** Returns the first file of an archive. */
async function unzip(archive: Uint8Array, maxBytes: number): Promise<Uint8Array> {
  const source: ByteSource = {
    size: archive.length,
    read: async (offset, length) => archive.subarray(offset, offset + length),
    stream: async (offset, length) => new Blob([archive.slice(offset, offset + length)]).stream(),
  };
  try {
    for await (const file of readDirectory(source, bounds.parts))
      return await readAll(checkBytes(file, await openZipFile(source, file)), maxBytes);
  } catch (error) {
    if (error instanceof ReportError) throw error;
    throw new ReportError(error instanceof ZipError ? error.message : `the archive cannot be read: ${error}`);
  }
  throw new ReportError("the archive is empty");
}

async function readAll(chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge();
    parts.push(chunk.slice());
  }
  return concat(parts);
}
