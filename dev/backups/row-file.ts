import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { type BackupFile, settle } from "./snapshot.ts";

/**
 * Writes lines of JSON to a compressed file in the folder of a backup, and returns its entry when it is on the disk. Without lines
 * there is no file.
 */
export async function writeLines(folder: string, name: string, lines: AsyncIterable<unknown>): Promise<BackupFile> {
  const file = path.join(folder, name);
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const hash = createHash("sha256");
  const counts = { rows: 0, octets: 0 };
  async function* texts() {
    for await (const line of lines) {
      counts.rows += 1;
      yield `${JSON.stringify(line)}\n`;
    }
  }
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      counts.octets += chunk.length;
      done(null, chunk);
    },
  });
  const target = createWriteStream(`${file}.part`, { mode: 0o600 });
  await pipeline(Readable.from(texts()), createGzip(), measure, target);
  if (counts.rows === 0) await rm(`${file}.part`);
  else await settle(`${file}.part`, file);
  return { path: name, sha256: hash.digest("hex"), ...counts };
}

/** Reads the lines of such a file, one after the other. */
export async function* readLines<Line>(folder: string, name: string): AsyncGenerator<Line> {
  const text = createReadStream(path.join(folder, name)).pipe(createGunzip()).setEncoding("utf8");
  let rest = "";
  // Not by `readline`, which also ends a line at characters that JSON may contain.
  for await (const chunk of text as AsyncIterable<string>) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield JSON.parse(line) as Line;
  }
}
