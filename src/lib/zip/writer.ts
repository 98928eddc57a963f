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
    const header = concat([u32(LOCAL), u16(VERSION), common(entry), u16(name.length, 0), name]);
    this.#add(entry, name, at);
    this.#offset += header.length + entry.size;
    return header;
  }

  #add(entry: ZipEntry, name: Uint8Array, at: number): void {
    const isFar = at >= MAX32;
    const extra = isFar ? concat([u16(1, 8), u64(at)]) : new Uint8Array();
    const versions = u16(VERSION64, isFar ? VERSION64 : VERSION);
    // No comment, first disk, no attributes.
    const rest = [u16(name.length, extra.length, 0, 0, 0), u32(0, isFar ? MAX32 : at)];
    const record = concat([u32(CENTRAL), versions, common(entry), ...rest, name, extra]);
    this.#directory.push(record);
    this.#directorySize += record.length;
    this.#count += 1;
  }

  /** Returns what follows the last file, in pieces. */
  *end(): Generator<Uint8Array> {
    yield* this.#directory;
    const [size, at, count] = [this.#directorySize, this.#offset, this.#count];
    if (count >= MAX16 || at >= MAX32 || size >= MAX32) {
      yield concat([u32(END64), u64(44), u16(VERSION64, VERSION64), u32(0, 0), u64(count, count, size, at)]);
      yield concat([u32(LOCATOR64, 0), u64(at + size), u32(1)]);
    }
    const shown = Math.min(count, MAX16);
    yield concat([u32(END), u16(0, 0, shown, shown), u32(Math.min(size, MAX32), Math.min(at, MAX32)), u16(0)]);
  }
}

/** Returns the fields that both headers of a file have. */
function common({ size, crc, modifiedAt }: ZipEntry): Uint8Array {
  const [date, time] = dosTime(modifiedAt);
  return concat([u16(UTF8_NAMES, 0, time, date), u32(crc, size, size)]);
}

/** Returns date and time as MS-DOS has them (UTC): from 1980 to 2107, in steps of two seconds. */
function dosTime(ms: number): [date: number, time: number] {
  const at = new Date(Math.min(Math.max(ms, Date.UTC(1980, 0, 1)), Date.UTC(2107, 11, 31)));
  const date = ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate();
  return [date, (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1)];
}

// ZIP numbers are little-endian, as typed arrays are on the processors that run Workers and Node.
const u16 = (...values: number[]) => new Uint8Array(Uint16Array.from(values).buffer);
const u32 = (...values: number[]) => new Uint8Array(Uint32Array.from(values).buffer);
const u64 = (...values: number[]) => new Uint8Array(BigUint64Array.from(values, BigInt).buffer);
