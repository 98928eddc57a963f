import { readdir } from "node:fs/promises";
import path from "node:path";
import { readLines } from "./row-file.ts";
import type { SavedObject } from "./save-objects.ts";
import { isUnfinished, type Manifest, readManifest, sha256Of } from "./snapshot.ts";

/** Issues that are listed before the rest is only counted. */
const LISTED = 20;

/** A finished backup. */
export interface OpenedBackup {
  root: string;
  folder: string;
  manifest: Manifest;
}

/**
 * Opens a backup of a folder: the newest finished one, or the one with this id. `onUnfinished` gets the ids of newer backups that
 * are left out because they are unfinished. Throws an Error when there is none, and without `id` when a newer one has lost its
 * manifest: restoring an older one loses mail, so that has to be chosen.
 */
export async function openBackup(
  root: string,
  id: string | undefined,
  onUnfinished: (id: string) => void = () => {},
): Promise<OpenedBackup> {
  const snapshots = path.join(root, "snapshots");
  const ids = (await readdir(snapshots).catch(() => [])).sort().reverse();
  for (const one of id === undefined ? ids : ids.filter((known) => known === id)) {
    const folder = path.join(snapshots, one);
    const manifest = await readManifest(folder);
    if (manifest) return { root, folder, manifest };
    if (await isUnfinished(folder)) onUnfinished(one);
    else throw new Error(lostManifest(one, ids.slice(ids.indexOf(one) + 1)));
  }
  throw new Error(`${root} has no finished backup${id === undefined ? "" : ` ${id}`}.`);
}

function lostManifest(id: string, [older]: readonly string[]): string {
  const choice = older === undefined ? "" : ` To restore an older one, name it: --backup ${older}`;
  return `The backup ${id} has no manifest.json, and is no unfinished one either: it is damaged.${choice}`;
}

/** Compares every file of a backup with its SHA-256. Throws an Error that names those that differ or are missing. */
export async function checkFiles({ root, folder, manifest }: OpenedBackup): Promise<void> {
  const issues: string[] = [];
  let count = 0;
  const check = async (file: string, sha256: string) => {
    const found = await sha256Of(file).catch(() => null);
    if (found === sha256) return;
    count += 1;
    if (issues.length < LISTED)
      issues.push(`${path.relative(root, file)} ${found === null ? "is missing" : "has changed"}`);
  };
  for (const file of [...manifest.files, ...manifest.objectLists])
    await check(path.join(folder, file.path), file.sha256);
  if (count === 0) {
    for (const list of manifest.objectLists)
      for await (const { file, sha256 } of readLines<SavedObject>(folder, list.path))
        await check(path.join(root, file), sha256);
  }
  if (count > 0) throw new Error(`The backup is damaged, in ${count} files:\n${issues.join("\n")}`);
}
