import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { openBackup } from "../../dev/backups/check.ts";
import { Snapshot } from "../../dev/backups/snapshot.ts";

const [OLD, NEW] = ["2026-11-21T03-00-00-000Z", "2026-11-22T03-00-00-000Z"];
let root: string;

beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), "email-delivery-backups-"));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
});

/** Makes a backup with a file of rows, and with these other files. */
async function aSnapshot(id: string, ...files: ("manifest.json" | "journal.ndjson")[]) {
  const folder = path.join(root, "snapshots", id);
  await mkdir(path.join(folder, "main"), { recursive: true });
  await writeFile(path.join(folder, "main", "users.ndjson.gz"), "rows");
  for (const file of files) await writeFile(path.join(folder, file), JSON.stringify({ id }));
}

async function opened(id?: string) {
  const unfinished: string[] = [];
  const { manifest } = await openBackup(root, id, (one) => unfinished.push(one));
  return { id: manifest.id, unfinished };
}

describe("the backup that is restored", () => {
  it("is the newest finished one, and unfinished ones that are newer are named", async () => {
    await aSnapshot(OLD, "manifest.json");
    expect(await opened()).toEqual({ id: OLD, unfinished: [] });
    await aSnapshot(NEW, "journal.ndjson");
    expect(await opened()).toEqual({ id: OLD, unfinished: [NEW] });
  });

  it("is never an older one in place of one that has lost its manifest, unless it is named", async () => {
    await aSnapshot(OLD, "manifest.json");
    await aSnapshot(NEW);
    await expect(opened()).rejects.toThrow(`The backup ${NEW} has no manifest.json`);
    await expect(opened()).rejects.toThrow(`--backup ${OLD}`);
    expect(await opened(OLD)).toEqual({ id: OLD, unfinished: [] });
    await expect(opened(NEW)).rejects.toThrow("it is damaged");
  });

  it("stays in its folder without its manifest, also a day later, when the next backup begins", async () => {
    await aSnapshot(OLD);
    const now = new Date("2026-11-23T03:00:00.000Z");
    const { id } = await Snapshot.open(root, now);
    expect((await readdir(path.join(root, "snapshots"))).sort()).toEqual([OLD, id]);
    expect((await Snapshot.open(root, now)).id).toBe(id);
  });
});
