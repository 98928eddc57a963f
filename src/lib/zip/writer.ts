import { crc32 } from "node:zlib";
import { concat, utf8 } from "../bytes.ts";

/** A file of a ZIP archive whose size and checksum are known before it is written. */
export interface ZipEntry {
  name: string;
  size: number;
  /** CRC-32 of its bytes. */
  crc: number;
  /** In ms since 1970. */
  modifiedAt: number;
}

const [LOCAL, CENTRAL, END, END64, LOCATOR64] = [0x04034b50, 0x02014b50, 0x06054b50, 0x06064b50, 0x07064b50];
/** File names are UTF-8 (APPNOTE 4.4.4, bit 11). */
const UTF8_NAMES = 0x0800;
/** Files are stored as they are. */
const VERSION = 20;
const VERSION64 = 45;
const MAX16 = 0xffff;
const MAX32 = 0xffffffff;

export { crc32 };

/**
 * Writes a ZIP archive piece by piece (APPNOTE 6.3.10). Files are stored without compression and with their sizes before
 * them, so that the archive can be read as a stream; ZIP64 is used beyond 65,535 files or 4 GiB.
 */
export class ZipWriter {
  readonly #directory: Uint8Array[] = [];
  #directorySize = 0;
  #count = 0;
  #offset = 0;

  /** Returns the header of a file. Its bytes, exactly `size` of them, must follow. */
  header(entry: ZipEntry): Uint8Array {
    const name = utf8(entry.name);
    const at = this.#offset;
    const header = concat([
      fields([4, LOCAL], [2, VERSION], ...common(entry), [4, entry.size], [4, entry.size], [2, name.length], [2, 0]),
      name,
    ]);
    this.#add(entry, name, at);
    this.#offset += header.length + entry.size;
    return header;
  }

  #add(entry: ZipEntry, name: Uint8Array, at: number): void {
    const isFar = at >= MAX32;
    const extra = isFar ? fields([2, 1], [2, 8], [8, at]) : new Uint8Array();
    const record = concat([
      fields(
        ...([
          [4, CENTRAL],
          [2, VERSION64],
          [2, isFar ? VERSION64 : VERSION],
        ] as const),
        ...common(entry),
        ...([
          [4, entry.size],
          [4, entry.size],
          [2, name.length],
          [2, extra.length],
        ] as const),
        ...([
          [2, 0],
          [2, 0],
          [2, 0],
          [4, 0],
          [4, isFar ? MAX32 : at],
        ] as const),
      ),
      name,
      extra,
    ]);
    this.#directory.push(record);
    this.#directorySize += record.length;
    this.#count += 1;
  }

  /** Returns what follows the last file, in pieces. */
  *end(): Generator<Uint8Array> {
    yield* this.#directory;
    const [size, at, count] = [this.#directorySize, this.#offset, this.#count];
    if (count >= MAX16 || at >= MAX32 || size >= MAX32) {
      const versions = [
        [2, VERSION64],
        [2, VERSION64],
      ] as const;
      yield fields([4, END64], [8, 44], ...versions, [4, 0], [4, 0], [8, count], [8, count], [8, size], [8, at]);
      yield fields([4, LOCATOR64], [4, 0], [8, at + size], [4, 1]);
    }
    const shown = Math.min(count, MAX16);
    yield fields(
      [4, END],
      [2, 0],
      [2, 0],
      [2, shown],
      [2, shown],
      [4, Math.min(size, MAX32)],
      [4, Math.min(at, MAX32)],
      [2, 0],
    );
  }
}

const common = ({ crc, modifiedAt }: ZipEntry) => {
  const [date, time] = dosTime(modifiedAt);
  return [
    [2, UTF8_NAMES],
    [2, 0],
    [2, time],
    [2, date],
    [4, crc],
  ] as const;
};

/** Returns date and time as MS-DOS has them (UTC): from 1980 to 2107, in steps of two seconds. */
function dosTime(ms: number): [date: number, time: number] {
  const at = new Date(Math.min(Math.max(ms, Date.UTC(1980, 0, 1)), Date.UTC(2107, 11, 31)));
  const date = ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate();
  return [date, (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1)];
}

/** Returns numbers in little-endian order, each with its bytes. */
function fields(...list: readonly (readonly [bytes: 2 | 4 | 8, value: number])[]): Uint8Array {
  const out = new Uint8Array(list.reduce((sum, [bytes]) => sum + bytes, 0));
  const view = new DataView(out.buffer);
  let at = 0;
  for (const [bytes, value] of list) {
    if (bytes === 2) view.setUint16(at, value, true);
    else if (bytes === 4) view.setUint32(at, value, true);
    else view.setBigUint64(at, BigInt(value), true);
    at += bytes;
  }
  return out;
}
