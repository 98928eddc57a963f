import { enlarged, toBinaryString } from "../../../lib/bytes.ts";
import { readMbox } from "../../../lib/mbox/read.ts";
import { readChunks, skipBytes } from "../../../lib/read-chunks.ts";
import type { YieldingSteps } from "../../../lib/yielding-steps.ts";
import {
  type ByteSource,
  checkBytes,
  openZipFile,
  readDirectory,
  ZipError,
  type ZipFile,
} from "../../../lib/zip/reader.ts";
import { MAX_MESSAGE_BYTES } from "../../inbound/index.ts";
import { type ArchiveContents, type ArchiveCursor, nameIssue, withoutForbidden } from "../../mailbox-store/index.ts";
import { type ArchiveHeaders, readArchiveHeaders } from "./archive-headers.ts";
import { CONTENTS_FILE, MAX_CONTENTS_BYTES, readContents, readContentsMessage } from "./contents.ts";

/** Files of a ZIP archive, and messages of an archive. */
export const MAX_ENTRIES = 100_000;
/** An archive may decompress to this many times its size, and this many bytes more. */
const [MAX_RATIO, MORE_BYTES] = [10, 64 * 1024 * 1024];

type EntryContent =
  | { kind: "contents"; contents: ArchiveContents }
  /** `original` is valid until the next entry is read. */
  | { kind: "message"; name: string; original: Uint8Array; archiveHeaders: ArchiveHeaders | null; folder: string }
  | { kind: "issue"; name: string; issue: string };

/** An item of an archive, in its order. `next` is the place after it. */
export type ArchiveEntry = EntryContent & { next: ArchiveCursor };

/** The beginning of an archive. */
export const BEGINNING: ArchiveCursor = {
  read: 0,
  files: 0,
  record: 0,
  offset: 0,
  messages: 0,
  entries: 0,
  decompressed: 0,
};

/** Signals an archive that is not read any further. What was read of it stays. */
export class ArchiveError extends Error {
  override name = "ArchiveError";
}

/** Returns the format of an archive by its first bytes, or null. */
export function formatOf(start: Uint8Array): "zip" | "mbox" | null {
  const text = toBinaryString(start);
  if (/^(?:\xef\xbb\xbf)?From /.test(text)) return "mbox";
  return text.startsWith("PK\x03\x04") || text.startsWith("PK\x05\x06") ? "zip" : null;
}

export interface ReadOptions {
  format: "zip" | "mbox";
  /** The folder of messages whose folder the archive does not name. */
  folder: string;
  /** The place at which an earlier run has stopped. */
  from: ArchiveCursor;
  steps: YieldingSteps;
}

/** Reads the entries of an archive from a place on, in steps. Throws ArchiveError when it is malformed or exceeds a bound. */
export async function* readEntries(source: ByteSource, options: ReadOptions): AsyncGenerator<ArchiveEntry> {
  let { entries } = options.from;
  const found = options.format === "zip" ? readZip(source, options) : readMboxArchive(source, options);
  for await (const entry of found) {
    entries += 1;
    if (entries > MAX_ENTRIES) throw new ArchiveError(`the archive has more than ${MAX_ENTRIES} messages`);
    yield { ...entry, next: { ...entry.next, entries } };
  }
}

async function* readMboxArchive(source: ByteSource, options: ReadOptions): AsyncGenerator<ArchiveEntry> {
  const { folder, from, steps } = options;
  if (from.offset >= source.size) return;
  const stream = readChunks(await source.stream(from.offset, source.size - from.offset));
  for await (const entry of readMboxEntries(steps.count(stream), { name: "message", folder, from }))
    yield { ...entry, next: { ...entry.next, read: entry.next.offset } };
}

/** Reads the messages of an mbox file whose bytes before the place `from` were left out. */
async function* readMboxEntries(
  stream: AsyncIterable<Uint8Array>,
  { name, folder, from }: { name: string; folder: string; from: ArchiveCursor },
): AsyncGenerator<ArchiveEntry> {
  let { messages } = from;
  for await (const { raw, end } of readMbox(stream, MAX_MESSAGE_BYTES)) {
    const contents = raw && readContentsMessage(raw);
    if (!contents) messages += 1;
    const next = { ...from, offset: from.offset + end, messages };
    if (contents) yield { kind: "contents", contents, next };
    else yield { ...(raw ? toMessage(`${name} ${messages}`, raw, folder) : tooLarge(`${name} ${messages}`)), next };
  }
}

const tooLarge = (name: string): EntryContent => ({
  kind: "issue",
  name,
  issue: `the message is larger than ${MAX_MESSAGE_BYTES} bytes`,
});

function toMessage(name: string, raw: Uint8Array, folder: string): EntryContent {
  const { archiveHeaders, original } = readArchiveHeaders(raw);
  const isUsable = archiveHeaders !== null && nameIssue(archiveHeaders.folder) === null;
  return { kind: "message", name, original, archiveHeaders, folder: isUsable ? archiveHeaders.folder : folder };
}

async function* readZip(source: ByteSource, options: ReadOptions): AsyncGenerator<ArchiveEntry> {
  const { folder, steps } = options;
  let { from } = options;
  const reader = new ZipEntryReader(source, steps, from.decompressed);
  try {
    for await (const file of readDirectory(source, MAX_ENTRIES, from)) {
      const end = {
        ...BEGINNING,
        read: from.read + file.compressedSize,
        files: from.files + 1,
        record: file.nextRecord,
      };
      for await (const entry of reader.read(file, { folder, from, end }))
        yield { ...entry, next: { ...entry.next, decompressed: reader.decompressed } };
      from = end;
      await steps.add(1, 0);
    }
  } catch (error) {
    throw error instanceof ZipError ? new ArchiveError(error.message) : error;
  }
}

/** Reads the files of a ZIP archive into one buffer, and stops when they are larger than the archive can be expected to be. */
class ZipEntryReader {
  /** Bytes to which files were decompressed; those of an mbox file that an earlier run has read are not counted again. */
  decompressed: number;
  readonly #source: ByteSource;
  readonly #steps: YieldingSteps;
  readonly #maxBytes: number;
  #buffer = new Uint8Array(65_536);

  constructor(source: ByteSource, steps: YieldingSteps, decompressed: number) {
    this.#source = source;
    this.#steps = steps;
    this.decompressed = decompressed;
    this.#maxBytes = MAX_RATIO * source.size + MORE_BYTES;
  }

  async *read(
    file: ZipFile,
    { folder, from, end }: { folder: string; from: ArchiveCursor; end: ArchiveCursor },
  ): AsyncGenerator<ArchiveEntry> {
    const name = JSON.stringify(file.name.slice(0, 200));
    const [, path = "", base = "", type = ""] =
      /^(.*\/)?([^/]*?)(\.[^./]*)?$/.exec(file.name.replaceAll("\\", "/")) ?? [];
    if (file.name.endsWith("/")) return;
    try {
      if (/^\.mbo?x$/i.test(type)) {
        const stream = skipBytes(await this.#open(file), from.offset);
        const mbox = { name: `${name}: message`, folder: toFolder(base) ?? folder, from };
        return yield* readMboxEntries(this.#counted(stream), mbox);
      }
      yield { ...(await this.#readFile(file, { name, type, folder: toFolder(path) ?? folder })), next: end };
    } catch (error) {
      // Damaged data: what the decompressor throws is a TypeError.
      if (!(error instanceof ZipError || error instanceof TypeError)) throw error;
      yield { kind: "issue", name, issue: error.message, next: end };
    }
  }

  async #readFile(
    file: ZipFile,
    { name, type, folder }: { name: string; type: string; folder: string },
  ): Promise<EntryContent> {
    const isContents = file.name === CONTENTS_FILE;
    if (!isContents && type.toLowerCase() !== ".eml")
      return { kind: "issue", name, issue: "this is no .eml or .mbox file" };
    const raw = await this.#readWhole(file, isContents ? MAX_CONTENTS_BYTES : MAX_MESSAGE_BYTES);
    if (!isContents) return raw ? toMessage(name, raw, folder) : tooLarge(name);
    const contents = raw && readContents(raw);
    return contents
      ? { kind: "contents", contents }
      : { kind: "issue", name, issue: "the list of folders and labels is not valid" };
  }

  async #open(file: ZipFile): Promise<AsyncGenerator<Uint8Array>> {
    return this.#steps.count(checkBytes(file, readChunks(await openZipFile(this.#source, file))));
  }

  /** Reads a file. Returns null when it is larger than `maxBytes`. */
  async #readWhole(file: ZipFile, maxBytes: number): Promise<Uint8Array | null> {
    let size = 0;
    for await (const chunk of this.#counted(await this.#open(file))) {
      if (size + chunk.length > maxBytes) return null;
      if (size + chunk.length > this.#buffer.length)
        this.#buffer = enlarged(this.#buffer, size + chunk.length, MAX_MESSAGE_BYTES);
      this.#buffer.set(chunk, size);
      size += chunk.length;
    }
    return this.#buffer.subarray(0, size);
  }

  async *#counted(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of stream) {
      this.decompressed += chunk.length;
      if (this.decompressed > this.#maxBytes)
        throw new ArchiveError(`the archive decompresses to more than ${MAX_RATIO} times its size`);
      yield chunk;
    }
  }
}

/**
 * Returns the folder for the messages of a directory, or null for the top one. No file is ever written, so `..` and an absolute
 * path are harmless; they are left out with the characters that a folder cannot have.
 */
function toFolder(path: string): string | null {
  const parts = path
    .split("/")
    .map((part) => withoutForbidden(part).trim())
    .filter((part) => part !== "" && part !== "." && part !== "..");
  const name = parts.join("/").normalize("NFC").toWellFormed();
  return nameIssue(name) === null ? name : null;
}
