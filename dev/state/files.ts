import { randomBytes } from "node:crypto";
import { mkdir, open, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";

/** Writes a file atomically and syncs it to disk, so that a power cut leaves the old or the new content. */
export async function writeDurably(file: string, content: string | Uint8Array, mode = 0o644) {
  const temporary = `${file}.${randomBytes(4).toString("hex")}.tmp`;
  const handle = await open(temporary, "wx", mode);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, file);
  await syncDirectory(path.dirname(file));
}

/** Creates the folder if needed and writes a file in it for a moment. Throws an error that names the folder otherwise. */
export async function assertWritable(folder: string): Promise<void> {
  const probe = path.join(folder, `.writable.${randomBytes(4).toString("hex")}.tmp`);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(probe, "");
    await rm(probe);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Node reports a read-only file system as ENOENT when it creates folders recursively.
    throw new Error(`${folder} is not writable${code === "ENOENT" ? "" : ` (${code})`}.`);
  }
}

/** Syncs a directory to disk, so that a renamed file keeps its new name after a power cut. */
async function syncDirectory(directory: string) {
  const handle = await open(directory, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Parses a JSON file. Returns null when the file does not exist. */
export async function readJson<T>(file: string): Promise<T | null> {
  try {
    return JSON.parse(await readFile(file, "utf8")) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
