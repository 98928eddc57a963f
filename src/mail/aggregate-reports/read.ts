import { gunzipSync } from "node:zlib";
import { concat } from "../../lib/bytes.ts";
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
  let left: number = bounds.reportBytes;
  for (const part of candidates) {
    const bytes = await readFile(decodeWhole(raw.subarray(part.at, part.at + part.length), part.encoding), left);
    left -= bytes.length;
    const text = utf8.decode(bytes).trimStart();
    if (text.startsWith("<")) return parseDmarcReport(text);
    if (text.startsWith("{")) return parseTlsReport(text);
  }
  throw new ReportError("the message has no report");
}

/** Text and HTML that are shown are seldom the report. A message that is a single file has no other part. */
const mayBeReport = ({ contentType, filename }: MessagePart) =>
  filename !== null || !["text/plain", "text/html"].includes(contentType);

const utf8 = new TextDecoder();

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
  try {
    return gunzipSync(file, { maxOutputLength: Math.max(maxBytes, 1) });
  } catch (error) {
    throw new ReportError(`the file cannot be decompressed: ${error}`);
  }
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
