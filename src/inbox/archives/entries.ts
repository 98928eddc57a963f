import { MAX_MESSAGE_BYTES } from "../../inbound/index.ts";
import { readMbox } from "../../lib/mbox/index.ts";
import { readChunks } from "../../lib/read-chunks.ts";
import type { YieldingSteps } from "../../lib/yielding-steps.ts";
import { type ByteSource, openZipFile, readDirectory, ZipError, type ZipFile } from "../../lib/zip/index.ts";
import { type ArchiveContents, nameFault } from "../../mailbox-store/index.ts";
import { CONTENTS_FILE, readContents, readContentsMessage } from "./contents.ts";
import { type Marks, readMarks } from "./marks.ts";

/** Files of a ZIP archive, and messages of an archive. */
export const MAX_ENTRIES = 100_000;
/** An archive may decompress to this many times its size, and this many bytes more. */
const [MAX_RATIO, MORE_BYTES] = [10, 64 * 1024 * 1024];
const MAX_CONTENTS_BYTES = 1024 * 1024;

/** What an archive contains, in its order. */
export type ArchiveEntry =
  | { kind: "contents"; contents: ArchiveContents }
  /** `original` is valid until the next entry is read. */
  | { kind: "message"; name: string; original: Uint8Array; marks: Marks | null; folder: string }
  | { kind: "fault"; name: string; fault: string };

/** Signals an archive that is not read any further. What was read of it stays. */
export class ArchiveError extends Error {
  override name = "ArchiveError";
}

/** Returns the format of an archive by its first bytes, or null. */
export function formatOf(start: Uint8Array): "zip" | "mbox" | null {
  const text = String.fromCharCode(...start.subarray(0, 5));
  if (text === "From ") return "mbox";
  return text.startsWith("PK\x03\x04") || text.startsWith("PK\x05\x06") ? "zip" : null;
}

export interface ReadOptions {
  format: "zip" | "mbox";
  /** The folder of messages whose folder the archive does not name. */
  folder: string;
  steps: YieldingSteps;
}

/** Reads the entries of an archive in steps. Throws ArchiveError when it is malformed or exceeds a bound. */
export async function* readEntries(
  source: ByteSource,
  { format, folder, steps }: ReadOptions,
): AsyncGenerator<ArchiveEntry> {
  let count = 0;
  const entries =
    format === "zip"
      ? readZip(source, folder, steps)
      : readMboxEntries(steps.count(readChunks(await source.stream(0, source.size))), "message", folder);
  for await (const entry of entries) {
    count += 1;
    if (count > MAX_ENTRIES) throw new ArchiveError(`the archive has more than ${MAX_ENTRIES} messages`);
    yield entry;
  }
}

async function* readMboxEntries(
  stream: AsyncIterable<Uint8Array>,
  name: string,
  folder: string,
): AsyncGenerator<ArchiveEntry> {
  let number = 0;
  for await (const { raw } of readMbox(stream, MAX_MESSAGE_BYTES)) {
    const contents = raw && readContentsMessage(raw);
    if (contents) {
      yield { kind: "contents", contents };
      continue;
    }
    number += 1;
    yield raw ? toMessage(`${name} ${number}`, raw, folder) : tooLarge(`${name} ${number}`);
  }
}

const tooLarge = (name: string): ArchiveEntry => ({
  kind: "fault",
  name,
  fault: `the message is larger than ${MAX_MESSAGE_BYTES} bytes`,
});

function toMessage(name: string, raw: Uint8Array, folder: string): ArchiveEntry {
  const { marks, original } = readMarks(raw);
  const isUsable = marks !== null && nameFault(marks.folder) === null;
  return { kind: "message", name, original, marks, folder: isUsable ? marks.folder : folder };
}

async function* readZip(source: ByteSource, folder: string, steps: YieldingSteps): AsyncGenerator<ArchiveEntry> {
  const reader = new ZipEntryReader(source, steps);
  try {
    for await (const file of readDirectory(source, MAX_ENTRIES)) {
      yield* reader.read(file, folder);
      await steps.add(1, 0);
    }
  } catch (error) {
    throw error instanceof ZipError ? new ArchiveError(error.message) : error;
  }
}

/** Reads the files of a ZIP archive into one buffer, and stops when they are larger than the archive can be expected to be. */
class ZipEntryReader {
  readonly #source: ByteSource;
  readonly #steps: YieldingSteps;
  #left: number;
  #buffer = new Uint8Array(65_536);

  constructor(source: ByteSource, steps: YieldingSteps) {
    this.#source = source;
    this.#steps = steps;
    this.#left = MAX_RATIO * source.size + MORE_BYTES;
  }

  async *read(file: ZipFile, fallback: string): AsyncGenerator<ArchiveEntry> {
    const name = showName(file.name);
    const [, path = "", base = "", type = ""] =
      /^(.*\/)?([^/]*?)(\.[^./]*)?$/.exec(file.name.replaceAll("\\", "/")) ?? [];
    if (file.name.endsWith("/")) return;
    try {
      if (/^\.mbo?x$/i.test(type)) {
        const stream = this.#counted(await openZipFile(this.#source, file));
        return yield* readMboxEntries(stream, `${name}: message`, toFolder(base) ?? fallback);
      }
      const isContents = file.name === CONTENTS_FILE;
      if (!isContents && type.toLowerCase() !== ".eml")
        return yield { kind: "fault", name, fault: "this is no .eml or .mbox file" };
      const raw = await this.#readWhole(file, isContents ? MAX_CONTENTS_BYTES : MAX_MESSAGE_BYTES);
      const contents = isContents && raw ? readContents(raw) : null;
      if (contents) yield { kind: "contents", contents };
      else if (isContents) yield { kind: "fault", name, fault: "the list of folders and labels is not valid" };
      else yield raw ? toMessage(name, raw, toFolder(path) ?? fallback) : tooLarge(name);
    } catch (error) {
      if (!isDamage(error)) throw error;
      yield { kind: "fault", name, fault: error.message };
    }
  }

  /** Reads a file. Returns null when it is larger than `maxBytes`. */
  async #readWhole(file: ZipFile, maxBytes: number): Promise<Uint8Array | null> {
    let size = 0;
    for await (const chunk of this.#counted(await openZipFile(this.#source, file))) {
      if (size + chunk.length > maxBytes) return null;
      if (size + chunk.length > this.#buffer.length) {
        const larger = new Uint8Array(
          Math.min(MAX_MESSAGE_BYTES, Math.max(2 * this.#buffer.length, size + chunk.length)),
        );
        larger.set(this.#buffer.subarray(0, size));
        this.#buffer = larger;
      }
      this.#buffer.set(chunk, size);
      size += chunk.length;
    }
    return this.#buffer.subarray(0, size);
  }

  async *#counted(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of this.#steps.count(readChunks(stream))) {
      this.#left -= chunk.length;
      if (this.#left < 0) throw new ArchiveError(`the archive decompresses to more than ${MAX_RATIO} times its size`);
      yield chunk;
    }
  }
}

/** Damaged data: what the decompressor throws is a TypeError. */
const isDamage = (error: unknown): error is Error => error instanceof ZipError || error instanceof TypeError;

const showName = (name: string) => JSON.stringify(name.slice(0, 200));

/**
 * Returns the folder for the messages of a directory, or null for the top one. No file is ever written, so `..` and an absolute
 * path are harmless; they are left out with the characters that a folder cannot have.
 */
export function toFolder(path: string): string | null {
  const parts = path
    .split("/")
    .map((part) => part.replace(/[\p{Cc}\p{Cf}\u2028\u2029*%\\"]/gu, "").trim())
    .filter((part) => part !== "" && part !== "." && part !== "..");
  const name = parts.join("/").normalize("NFC").toWellFormed();
  return nameFault(name) === null ? name : null;
}
