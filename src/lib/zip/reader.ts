import { crc32 } from "node:zlib";

/** Bytes that can be read anywhere, as those of an R2 object. */
export interface ByteSource {
  size: number;
  /** Returns `length` bytes from `offset` on. */
  read(offset: number, length: number): Promise<Uint8Array>;
  stream(offset: number, length: number): Promise<ReadableStream<Uint8Array>>;
}

/** A file of a ZIP archive as its directory lists it. Nothing of it can be trusted. */
export interface ZipFile {
  name: string;
  method: number;
  isEncrypted: boolean;
  compressedSize: number;
  size: number;
  /** CRC-32 of its bytes. */
  crc: number;
  /** Offset of its local header. */
  at: number;
  /** Offset of the next record of the directory. */
  nextRecord: number;
}

/** Signals an archive that cannot be read. */
export class ZipError extends Error {
  override name = "ZipError";
}

const [LOCAL, CENTRAL, END, END64, LOCATOR64] = [0x04034b50, 0x02014b50, 0x06054b50, 0x06064b50, 0x07064b50];
/** Bytes of the record at the end, and of the longest comment after it. */
const [END_SIZE, MAX_COMMENT] = [22, 65_535];
const [CENTRAL_SIZE, LOCAL_SIZE] = [46, 30];
/** Bytes of the directory that are read at once. A record has at most 46 + 3 * 65,535. */
const WINDOW = 1024 * 1024;
const MAX_NAME = 1_024;
const MAX32 = 0xffffffff;

const latin1 = new TextDecoder("windows-1252");
const utf8 = new TextDecoder();

/**
 * Reads the directory at the end of a ZIP archive (APPNOTE 4.3), in pieces of 1 MiB. `from` continues after a number of files,
 * at the record of the next one. Throws ZipError for a malformed archive and for one of more than `maxFiles` files.
 */
export async function* readDirectory(
  source: ByteSource,
  maxFiles: number,
  from: { files: number; record: number } = { files: 0, record: 0 },
): AsyncGenerator<ZipFile> {
  const { at, size, count } = await findDirectory(source);
  if (count > maxFiles) throw new ZipError(`the archive has ${count} files; the limit is ${maxFiles}`);
  if (at + size > source.size) throw new ZipError("the directory of the archive is outside of it");
  let offset = from.files > 0 ? from.record : at;
  for (let left = count - from.files; left > 0; ) {
    const window = await source.read(offset, Math.min(WINDOW, at + size - offset));
    let used = 0;
    for (; left > 0; left--) {
      const record = readRecord(window.subarray(used));
      if (!record) break;
      used += record.length;
      yield { ...record.file, nextRecord: offset + used };
    }
    if (used === 0) throw new ZipError("the directory of the archive is cut off");
    offset += used;
  }
}

async function findDirectory(source: ByteSource): Promise<{ at: number; size: number; count: number }> {
  const length = Math.min(source.size, END_SIZE + MAX_COMMENT);
  const view = viewOf(await source.read(source.size - length, length));
  for (let end = length - END_SIZE; end >= 0; end--) {
    if (view.getUint32(end, true) !== END) continue;
    const found = {
      count: view.getUint16(end + 10, true),
      size: view.getUint32(end + 12, true),
      at: view.getUint32(end + 16, true),
    };
    const is64 = found.count === 0xffff || found.size === MAX32 || found.at === MAX32;
    const isLocated = end >= 20 && view.getUint32(end - 20, true) === LOCATOR64;
    return is64 && isLocated ? readEnd64(source, Number(view.getBigUint64(end - 12, true))) : found;
  }
  throw new ZipError("this is no ZIP archive: its end is missing");
}

async function readEnd64(source: ByteSource, at: number): Promise<{ at: number; size: number; count: number }> {
  if (at + 56 > source.size) throw new ZipError("the directory of the archive is outside of it");
  const view = viewOf(await source.read(at, 56));
  if (view.getUint32(0, true) !== END64) throw new ZipError("the directory of the archive is damaged");
  const [count, size, offset] = [32, 40, 48].map((field) => Number(view.getBigUint64(field, true)));
  return { count: count ?? 0, size: size ?? 0, at: offset ?? 0 };
}

/** Returns the record at the beginning, or null when it is not there completely. */
function readRecord(bytes: Uint8Array): { file: Omit<ZipFile, "nextRecord">; length: number } | null {
  if (bytes.length < CENTRAL_SIZE) return null;
  const view = viewOf(bytes);
  if (view.getUint32(0, true) !== CENTRAL) throw new ZipError("the directory of the archive is damaged");
  const flags = view.getUint16(8, true);
  const [nameLength, extraLength, commentLength] = [28, 30, 32].map((at) => view.getUint16(at, true)) as [
    number,
    number,
    number,
  ];
  const length = CENTRAL_SIZE + nameLength + extraLength + commentLength;
  if (bytes.length < length) return null;
  const name = bytes.subarray(CENTRAL_SIZE, CENTRAL_SIZE + Math.min(nameLength, MAX_NAME));
  const sizes = {
    size: view.getUint32(24, true),
    compressedSize: view.getUint32(20, true),
    at: view.getUint32(42, true),
  };
  applyExtra64(sizes, viewOf(bytes.subarray(CENTRAL_SIZE + nameLength, CENTRAL_SIZE + nameLength + extraLength)));
  return {
    length,
    file: {
      ...sizes,
      name: (flags & 0x0800 ? utf8 : latin1).decode(name),
      method: view.getUint16(10, true),
      isEncrypted: (flags & 1) !== 0,
      crc: view.getUint32(16, true),
    },
  };
}

/** Replaces sizes that are too large for 32 bits by those of the ZIP64 field (APPNOTE 4.5.3). */
function applyExtra64(sizes: { size: number; compressedSize: number; at: number }, extra: DataView): void {
  for (let at = 0; at + 4 <= extra.byteLength; ) {
    const end = at + 4 + extra.getUint16(at + 2, true);
    if (extra.getUint16(at, true) === 1 && end <= extra.byteLength) {
      let value = at + 4;
      for (const key of ["size", "compressedSize", "at"] as const) {
        if (sizes[key] !== MAX32 || value + 8 > end) continue;
        sizes[key] = Number(extra.getBigUint64(value, true));
        value += 8;
      }
    }
    at = end;
  }
}

/** Yields the bytes of a file of an archive as they come. Throws ZipError after them when they do not match its checksum. */
export async function* checkBytes(file: ZipFile, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let crc = 0;
  for await (const chunk of chunks) {
    crc = crc32(chunk, crc);
    yield chunk;
  }
  if (crc !== file.crc) throw new ZipError("the file is damaged: its bytes do not match its checksum");
}

/**
 * Opens a file of an archive and decompresses it while it is read. The caller must stop reading at its limit: the sizes in the
 * directory may be wrong. Throws ZipError when it is encrypted, compressed by another method than deflate, or damaged.
 */
export async function openZipFile(source: ByteSource, file: ZipFile): Promise<ReadableStream<Uint8Array>> {
  if (file.isEncrypted) throw new ZipError("the file is encrypted");
  if (file.method !== 0 && file.method !== 8) throw new ZipError(`the compression method ${file.method} is unknown`);
  if (file.at + LOCAL_SIZE > source.size) throw new ZipError("the file is outside of the archive");
  const header = viewOf(await source.read(file.at, LOCAL_SIZE));
  if (header.getUint32(0, true) !== LOCAL) throw new ZipError("the header of the file is damaged");
  const at = file.at + LOCAL_SIZE + header.getUint16(26, true) + header.getUint16(28, true);
  if (at + file.compressedSize > source.size) throw new ZipError("the file is outside of the archive");
  if (file.compressedSize === 0) return new Blob([]).stream();
  const stored = await source.stream(at, file.compressedSize);
  return file.method === 0 ? stored : stored.pipeThrough(new DecompressionStream("deflate-raw"));
}

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
