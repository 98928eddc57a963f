import { openAsBlob } from "node:fs";
import path from "node:path";
import type { ObjectEntry } from "../../src/operations/backups/objects.ts";
import type { RestoreRun } from "./restore-store.ts";
import { readLines } from "./row-file.ts";
import type { SavedObject } from "./save-objects.ts";

/** Objects that are written at once. */
const CONCURRENT = 6;

/** Writes the objects that the bucket does not have with this size and ETag. Returns how many. Safe to interrupt and to repeat. */
export async function restoreObjects(run: RestoreRun): Promise<number> {
  const { client, backup } = run;
  const existing = new ExistingObjects(run);
  let written = 0;
  for (const list of backup.manifest.objectLists) {
    let group: SavedObject[] = [];
    const flush = async () => {
      await Promise.all(
        group.map(async ({ key, metadata, file }) =>
          client.writeObject(backup.manifest.id, key, metadata, await openAsBlob(path.join(backup.root, file))),
        ),
      );
      written += group.length;
      group = [];
    };
    for await (const object of readLines<SavedObject>(backup.folder, list.path)) {
      if (await existing.has(object)) continue;
      group.push(object);
      if (group.length === CONCURRENT) await flush();
    }
    await flush();
  }
  return written;
}

/** The objects of the bucket, read page after page beside those of the backup: both are in the order of their keys. */
class ExistingObjects {
  readonly #run: RestoreRun;
  #page: ObjectEntry[] = [];
  #cursor: string | null = null;
  #isEnd = false;

  constructor(run: RestoreRun) {
    this.#run = run;
  }

  /** Returns whether the bucket has this object. Keys must be asked for in their order. */
  async has({ key, size, etag }: SavedObject): Promise<boolean> {
    for (;;) {
      const [first] = this.#page;
      if (first && compare(first.key, key) < 0) {
        this.#page.shift();
        continue;
      }
      if (first) return first.key === key && first.size === size && first.etag === etag;
      if (this.#isEnd) return false;
      const page: { objects: ObjectEntry[]; cursor: string | null } = await this.#run.client.call(
        "/auth/backup/objects",
        { cursor: this.#cursor },
      );
      this.#page = page.objects;
      this.#cursor = page.cursor;
      this.#isEnd = page.cursor === null;
    }
  }
}

/** Compares keys by their bytes in UTF-8, as R2 orders them. */
const compare = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
