import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ObjectEntry } from "../../src/operations/backups/objects.ts";
import type { BackupClient } from "./client.ts";
import { writeLines } from "./row-file.ts";
import { type JournalEntry, type Snapshot, settle } from "./snapshot.ts";

/** Objects that are read at once. */
const CONCURRENT = 6;

/** An object of a backup. `file` is its path in the target, which all backups there share. */
export interface SavedObject extends ObjectEntry {
  file: string;
  sha256: string;
}

type ObjectsRecord = Extract<JournalEntry, { kind: "objects" }>;

/**
 * Saves the objects of R2, page after page of keys. An object whose key and ETag the target has is not read again. Returns how many
 * objects and bytes were read.
 */
export async function saveObjects(client: BackupClient, snapshot: Snapshot): Promise<{ read: number; octets: number }> {
  const done = snapshot.entries.filter((entry): entry is ObjectsRecord => entry.kind === "objects");
  const total = { read: 0, octets: 0 };
  const newest = done.at(-1);
  if (newest && newest.cursor === null) return total;
  let cursor = newest?.cursor ?? null;
  for (let number = done.length + 1; ; number++) {
    const page = await client.call<{ objects: ObjectEntry[]; cursor: string | null }>("/auth/backup/objects", {
      cursor,
    });
    const name = `objects.${String(number).padStart(5, "0")}.ndjson.gz`;
    const file = await writeLines(snapshot.folder, name, savePage(client, snapshot.root, page.objects, total));
    await snapshot.record({ kind: "objects", file, cursor: page.cursor });
    if (page.cursor === null) return total;
    cursor = page.cursor;
  }
}

async function* savePage(
  client: BackupClient,
  root: string,
  objects: readonly ObjectEntry[],
  total: { read: number; octets: number },
): AsyncGenerator<SavedObject> {
  for (let at = 0; at < objects.length; at += CONCURRENT) {
    const group = objects.slice(at, at + CONCURRENT);
    const saved = await Promise.all(group.map((object) => saveObject(client, root, object, total)));
    yield* saved.filter((object) => object !== null);
  }
}

/** Saves one object. Returns null when it was deleted after it was listed. */
async function saveObject(
  client: BackupClient,
  root: string,
  object: ObjectEntry,
  total: { read: number; octets: number },
): Promise<SavedObject | null> {
  const name = createHash("sha256").update(`${object.key}\n${object.etag}`).digest("hex");
  const file = path.join("objects", name.slice(0, 2), name);
  const place = path.join(root, file);
  const known = await readFile(`${place}.sha256`, "utf8").catch(() => null);
  if (known !== null) return { ...object, file, sha256: known.trim() };
  const response = await client.readObject(object.key);
  if (!response?.body) return null;
  await mkdir(path.dirname(place), { recursive: true, mode: 0o700 });
  const hash = createHash("sha256");
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      total.octets += chunk.length;
      done(null, chunk);
    },
  });
  const target = createWriteStream(`${place}.part`, { mode: 0o600 });
  await pipeline(Readable.from(response.body as AsyncIterable<Uint8Array>), measure, target);
  await settle(`${place}.part`, place);
  const sha256 = hash.digest("hex");
  // The object is complete when its checksum is there.
  await writeFile(`${place}.sha256.part`, `${sha256}\n`, { mode: 0o600, flush: true });
  await rename(`${place}.sha256.part`, `${place}.sha256`);
  total.read += 1;
  return { ...object, file, sha256 };
}
