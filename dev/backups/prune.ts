import { readdir, rm } from "node:fs/promises";
import path from "node:path";
import { readLines } from "./row-file.ts";
import type { SavedObject } from "./save-objects.ts";
import { isUnfinished, readManifest } from "./snapshot.ts";

/**
 * Deletes all finished backups of a folder but the newest `keep`, and the objects that none of those has. Safe to interrupt and to
 * repeat. Holds 32 bytes in memory for each object.
 */
export async function prune(root: string, keep: number): Promise<void> {
  const snapshots = path.join(root, "snapshots");
  const ids = (await readdir(snapshots)).sort().reverse();
  const named = new Set<string>();
  let kept = 0;
  for (const id of ids) {
    const folder = path.join(snapshots, id);
    const manifest = await readManifest(folder);
    // It may name any object.
    if (manifest === null) {
      const why = (await isUnfinished(folder)) ? "is unfinished" : "has lost its manifest.json";
      return console.log(`Nothing was deleted, because the backup ${id} ${why}.`);
    }
    if (kept === keep) {
      await rm(folder, { recursive: true });
      console.log(`The backup ${id} was deleted.`);
      continue;
    }
    kept += 1;
    for (const list of manifest.objectLists)
      for await (const { file } of readLines<SavedObject>(folder, list.path)) named.add(path.basename(file));
  }
  await pruneObjects(path.join(root, "objects"), named);
}

async function pruneObjects(objects: string, named: ReadonlySet<string>): Promise<void> {
  const folders = await readdir(objects).catch(() => []);
  let deleted = 0;
  for (const folder of folders) {
    for (const name of await readdir(path.join(objects, folder))) {
      if (named.has(name.split(".")[0] ?? "")) continue;
      await rm(path.join(objects, folder, name));
      if (!name.includes(".")) deleted += 1;
    }
  }
  if (deleted > 0) console.log(`${deleted} objects that no backup has any more were deleted.`);
}
