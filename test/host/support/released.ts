/** The source of the version that was released last, for tests that run it beside this one. */
import { execFileSync } from "node:child_process";
import { mkdir, readFile, symlink } from "node:fs/promises";
import path from "node:path";
import { ROOT } from "./hosts/bundle.ts";

export const released = JSON.parse(await readFile(path.join(ROOT, "migrations/released.json"), "utf8")) as {
  version: string;
  commit: string;
};

/** False in a checkout without the history of that version. */
export const hasReleased = (() => {
  try {
    execFileSync("git", ["cat-file", "-e", `${released.commit}^{commit}`], { cwd: ROOT, stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

/** Writes that source to a new folder, with the packages of this checkout. */
export async function writeReleased(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  execFileSync("sh", ["-c", `git archive ${released.commit} | tar -x -C '${folder}'`], { cwd: ROOT });
  await symlink(path.join(ROOT, "node_modules"), path.join(folder, "node_modules"));
}
