// `npm run backup -- --env production --to <folder>`: saves a deployment (docs/operating/backups.md). A backup that was
// interrupted is continued by the same command.
//   --env production|staging, --local (the service of `npm start`), or --url <PUBLIC_URL> with MASTER_KEYS set
//   --keys <file>   where the master keys are written, with mode 0600; default: <folder>.master-keys, beside the folder
//   --keep <n>      deletes all finished backups in the folder but the newest n, and the objects that none of them has
import { chmod, writeFile } from "node:fs/promises";
import path from "node:path";
import { readArguments } from "./arguments.ts";
import { BackupClient } from "./backups/client.ts";
import { readMailboxIds } from "./backups/mailbox-ids.ts";
import { prune } from "./backups/prune.ts";
import { saveObjects } from "./backups/save-objects.ts";
import { saveStore } from "./backups/save-store.ts";
import { type JournalEntry, type Manifest, Snapshot, timeOf } from "./backups/snapshot.ts";
import { keyChecks, readTarget, TARGET_USAGE, targetOptions } from "./backups/target.ts";

const usage = `backup -- ${TARGET_USAGE} --to <folder> [--keys <file>] [--keep <n>]`;
const { values } = readArguments({
  usage,
  options: { ...targetOptions, to: { type: "string" }, keys: { type: "string" }, keep: { type: "string" } },
});
try {
  await backUp();
} catch (error) {
  console.error((error as Error).message);
  console.error(`Usage: npm run ${usage}`);
  process.exit(1);
}

async function backUp(): Promise<void> {
  if (!values.to) throw new Error("Give the folder: --to <folder>.");
  const keep = values.keep === undefined ? null : Number(values.keep);
  if (keep !== null && !(Number.isInteger(keep) && keep > 0)) throw new Error("--keep takes a number of 1 or more.");
  const root = path.resolve(values.to);
  const client = new BackupClient(await readTarget(values));
  const snapshot = await Snapshot.open(root, new Date());
  console.log(`${snapshot.entries.length > 0 ? "Continuing" : "Beginning"} the backup ${snapshot.id} in ${root}`);

  const { names } = await client.call<{ names: string[] }>("/auth/backup/databases", {});
  // Mail databases first, then mailboxes, then the main database, then R2: what a row names exists before the row does.
  for (const name of names.filter((one) => one !== "main")) await save(client, snapshot, name);
  for (const id of await readMailboxIds(client)) await save(client, snapshot, `mailbox-${id}`);
  await save(client, snapshot, "main");
  // Those that were created since.
  for (const id of await readMailboxIds(client)) await save(client, snapshot, `mailbox-${id}`);
  const read = await saveObjects(client, snapshot);
  console.log(`objects: ${read.read} read, ${read.octets} bytes; those of earlier backups were kept`);

  const keysFile = path.resolve(values.keys ?? `${root}.master-keys`);
  await writeFile(keysFile, `${client.target.masterKeys}\n`, { mode: 0o600 });
  await chmod(keysFile, 0o600);
  const manifest = toManifest(client, snapshot);
  await snapshot.finish(manifest);
  console.log(`The backup ${snapshot.id} is complete: ${manifest.octets} bytes in ${manifest.files.length} files.`);
  console.log(`The master keys are in ${keysFile}. Keep them in another place than the backup.`);
  if (keep !== null) await prune(root, keep);
}

async function save(client: BackupClient, snapshot: Snapshot, store: string): Promise<void> {
  const rows = await saveStore(client, snapshot, store);
  if (rows > 0) console.log(`${store}: ${rows} rows`);
}

function toManifest(client: BackupClient, { id, entries }: Snapshot): Manifest {
  const of = <Kind extends JournalEntry["kind"]>(kind: Kind) =>
    entries.filter((entry): entry is Extract<JournalEntry, { kind: Kind }> => entry.kind === kind);
  const files = of("rows").flatMap(({ file }) => (file.rows > 0 ? [file] : []));
  const objectLists = of("objects").flatMap(({ file }) => (file.rows > 0 ? [file] : []));
  return {
    format: 1,
    id,
    url: client.target.url,
    startedAt: new Date(timeOf(id)).toISOString(),
    finishedAt: new Date().toISOString(),
    keys: keyChecks(client.target.masterKeys),
    stores: of("store").map(({ store }) => store),
    files,
    objectLists,
    objects: objectLists.reduce((sum, { rows }) => sum + rows, 0),
    octets: [...files, ...objectLists].reduce((sum, { octets }) => sum + octets, 0),
  };
}
