import { crc32 } from "node:zlib";

/** A file of a ZIP archive for a test. The other fields make the archive lie. */
export interface TestFile {
  name: string;
  data: string | Uint8Array;
  deflate?: boolean;
  corrupt?: boolean;
  flags?: number;
  method?: number;
  at?: number;
  claimedSize?: number;
  crc?: number;
}

/** Returns a ZIP archive, written apart from the code that is tested. */
export async function aZip(files: readonly TestFile[]): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let at = 0;
  for (const file of files) {
    const plain = typeof file.data === "string" ? new TextEncoder().encode(file.data) : file.data;
    const data = file.deflate ? await deflate(plain) : plain.slice();
    if (file.corrupt) data.fill(0xff, 2, 12);
    const name = new TextEncoder().encode(file.name);
    const method = file.method ?? (file.deflate ? 8 : 0);
    const fields = [
      u16(20),
      u16(0x0800 | (file.flags ?? 0)),
      u16(method),
      u16(0),
      u16(0x21),
      u32(file.crc ?? crc32(plain)),
    ];
    const sizes = [u32(data.length), u32(file.claimedSize ?? plain.length), u16(name.length), u16(0)];
    const local = [u32(0x04034b50), ...fields, ...sizes, name, data];
    directory.push(
      u32(0x02014b50),
      u16(20),
      ...fields,
      ...sizes,
      u16(0),
      u16(0),
      u16(0),
      u32(0),
      u32(file.at ?? at),
      name,
    );
    parts.push(...local);
    at += local.reduce((sum, { length }) => sum + length, 0);
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0);
  const count = u16(files.length);
  const end = [u32(0x06054b50), u16(0), u16(0), count, count, u32(size), u32(at), u16(0)];
  return new Uint8Array(await new Blob([...parts, ...directory, ...end] as Uint8Array<ArrayBuffer>[]).arrayBuffer());
}

const deflated = new WeakMap<Uint8Array, Promise<Uint8Array>>();

/** Compresses bytes, the same ones only once. */
async function deflate(bytes: Uint8Array): Promise<Uint8Array> {
  const known = deflated.get(bytes) ?? compress(bytes);
  deflated.set(bytes, known);
  return (await known).slice();
}

async function compress(bytes: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([bytes as Uint8Array<ArrayBuffer>])
    .stream()
    .pipeThrough(new CompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

const u16 = (value: number) => Uint8Array.of(value & 255, (value >> 8) & 255);
const u32 = (value: number) =>
  Uint8Array.of(value & 255, (value >>> 8) & 255, (value >>> 16) & 255, (value >>> 24) & 255);
