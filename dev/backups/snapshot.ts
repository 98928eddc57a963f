import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { appendFile, mkdir, open, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import type { MailStart } from "../../src/operations/backups/read-page.ts";
import type { Part } from "./parts.ts";

/** A file of a backup: rows of one part of one database, or a list of objects. */
export interface BackupFile {
  path: string;
  sha256: string;
  octets: number;
  rows: number;
}

/** A file with rows of a database. */
export interface RowsFile extends BackupFile {
  store: string;
  part: Pick<Part, "name" | "table" | "columns" | "key" | "isVirtual">;
}

export interface StoreEntry {
  name: string;
  migrations: string[];
  start: MailStart | null;
}

/** The manifest of a finished backup; `manifest.json` is written last. */
export interface Manifest {
  format: 1;
  id: string;
  url: string;
  startedAt: string;
  finishedAt: string;
  /** Versions and check values of the master keys that its secrets need. */
  keys: { version: number; check: string }[];
  stores: StoreEntry[];
  files: RowsFile[];
  objectLists: BackupFile[];
  objects: number;
  octets: number;
}

/** A line of the journal: what is complete in an unfinished backup. */
export type JournalEntry =
  | { kind: "store"; store: StoreEntry; parts: Part[] }
  | { kind: "rows"; file: RowsFile; last: (string | number)[] | null; isEnd: boolean }
  | { kind: "objects"; file: BackupFile; cursor: string | null };

/** An unfinished backup that is older is left out: what was read first would be too far from the rest. In milliseconds. */
const MAX_AGE_MS = 24 * 3_600_000;
const MANIFEST = "manifest.json";
const JOURNAL = "journal.ndjson";

/** A folder of one backup in the target. Files are complete when the journal names them. */
export class Snapshot {
  readonly id: string;
  readonly root: string;
  readonly folder: string;
  readonly entries: JournalEntry[];

  private constructor(root: string, id: string, entries: JournalEntry[]) {
    this.id = id;
    this.root = root;
    this.folder = path.join(root, "snapshots", id);
    this.entries = entries;
  }

  /** Opens the newest unfinished backup of the last 24 hours, or begins a new one. Leaves one that has lost its manifest as it is. */
  static async open(root: string, now: Date): Promise<Snapshot> {
    const snapshots = path.join(root, "snapshots");
    await mkdir(snapshots, { recursive: true, mode: 0o700 });
    for (const id of (await readdir(snapshots)).sort().reverse()) {
      const folder = path.join(snapshots, id);
      if ((await readManifest(folder)) !== null || !(await isUnfinished(folder))) continue;
      const age = now.getTime() - timeOf(id);
      if (age < MAX_AGE_MS) return new Snapshot(root, id, await readJournal(folder));
      await rm(folder, { recursive: true });
    }
    const id = now.toISOString().replace(/[:.]/g, "-");
    await mkdir(path.join(snapshots, id), { mode: 0o700 });
    // From here on a folder without manifest and journal has lost one of them.
    await writeFile(path.join(snapshots, id, JOURNAL), "", { mode: 0o600, flush: true });
    return new Snapshot(root, id, []);
  }

  /** Adds a line to the journal, on the disk when this resolves. */
  async record(entry: JournalEntry): Promise<void> {
    const file = path.join(this.folder, JOURNAL);
    await appendFile(file, `${JSON.stringify(entry)}\n`, { mode: 0o600, flush: true });
    this.entries.push(entry);
  }

  /** Writes the manifest, which makes the backup a finished one. */
  async finish(manifest: Manifest): Promise<void> {
    await writeDurably(path.join(this.folder, MANIFEST), `${JSON.stringify(manifest, null, 1)}\n`);
    await rm(path.join(this.folder, JOURNAL), { force: true });
  }
}

/** Returns the time at which a backup began, from its id, in milliseconds since 1970. */
export function timeOf(id: string): number {
  return Date.parse(id.replace(/T(\d\d)-(\d\d)-(\d\d)-(\d+)Z$/, "T$1:$2:$3.$4Z"));
}

/** Returns the manifest of a backup, or null while it is unfinished. */
export async function readManifest(folder: string): Promise<Manifest | null> {
  const text = await readFile(path.join(folder, MANIFEST), "utf8").catch(() => null);
  return text === null ? null : (JSON.parse(text) as Manifest);
}

/** Returns whether a backup without a manifest is an unfinished one: it has a journal, or nothing at all yet. */
export async function isUnfinished(folder: string): Promise<boolean> {
  const names = await readdir(folder);
  return names.includes(JOURNAL) || names.length === 0;
}

/** Reads the journal. A last line that was not written completely is left out. */
async function readJournal(folder: string): Promise<JournalEntry[]> {
  const file = path.join(folder, JOURNAL);
  const text = await readFile(file, "utf8").catch(() => "");
  const complete = text.slice(0, text.lastIndexOf("\n") + 1);
  if (complete.length < text.length) await writeDurably(file, complete);
  return complete
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as JournalEntry);
}

async function writeDurably(file: string, text: string): Promise<void> {
  await writeFile(`${file}.part`, text, { mode: 0o600, flush: true });
  await rename(`${file}.part`, file);
}

/** Renames a complete file into its place, after its bytes are on the disk. */
export async function settle(part: string, file: string): Promise<void> {
  const handle = await open(part, "r");
  await handle.sync();
  await handle.close();
  await rename(part, file);
}

/** Returns the SHA-256 of a file in hexadecimal digits. */
export async function sha256Of(file: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
}
