import { rename } from "node:fs/promises";

const KEPT_LOGS = 3;

/** Renames `file` to `file.1`, `file.1` to `file.2` and so on, so that the logs of the last three starts are kept. */
export async function rotateLog(file: string): Promise<void> {
  const name = (age: number) => (age === 0 ? file : `${file}.${age}`);
  for (let age = KEPT_LOGS - 1; age >= 0; age -= 1) await renameIfPresent(name(age), name(age + 1));
}

async function renameIfPresent(from: string, to: string): Promise<void> {
  await rename(from, to).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
}
