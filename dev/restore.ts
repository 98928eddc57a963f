// `npm run restore -- --env production --from <folder>`: restores a backup into an empty deployment (docs/operating/backups.md).
// A restore that was interrupted is continued by the same command. What has yet to be sent is held until it is released.
//   --env production|staging, --local (the service of `npm start`), or --url <PUBLIC_URL> with MASTER_KEYS set
//   --backup <id>   a backup of the folder; default: the newest finished one
//   --release       instead of --from: releases what is held, which is then sent
//   --mend          instead of --from: has messages read again that a restore of version 0.1 took for texts, for mail programs
//   --dry-run       with --mend: only counts them
import path from "node:path";
import type { RestoreState } from "../src/operations/backups/restores.ts";
import { readArguments } from "./arguments.ts";
import { checkFiles, type OpenedBackup, openBackup } from "./backups/check.ts";
import { BackupClient } from "./backups/client.ts";
import { readMailboxIds } from "./backups/mailbox-ids.ts";
import { restoreObjects } from "./backups/restore-objects.ts";
import { type RestoreRun, restoreStore } from "./backups/restore-store.ts";
import { keyChecks, readTarget, TARGET_USAGE, targetOptions } from "./backups/target.ts";

/** Refused rows that are printed; the others are only counted. */
const PRINTED = 20;

const usage = `restore -- ${TARGET_USAGE} (--from <folder> [--backup <id>] | --release | --mend [--dry-run])`;
const { values } = readArguments({
  usage,
  options: {
    ...targetOptions,
    from: { type: "string" },
    backup: { type: "string" },
    release: { type: "boolean" },
    mend: { type: "boolean" },
    "dry-run": { type: "boolean" },
  },
});
try {
  const client = new BackupClient(await readTarget(values));
  if (values.release) await release(client);
  else if (values.mend) await mend(client, values["dry-run"] === true);
  else if (values.from)
    await restore(client, await openBackup(path.resolve(values.from), values.backup, printUnfinished));
  else throw new Error("Give the folder of the backup: --from <folder>.");
} catch (error) {
  console.error((error as Error).message);
  console.error(`Usage: npm run ${usage}`);
  process.exit(1);
}

async function restore(client: BackupClient, backup: OpenedBackup): Promise<void> {
  const { manifest } = backup;
  console.log(`The backup ${manifest.id} of ${manifest.url}: checking ${manifest.files.length} files ...`);
  await checkFiles(backup);
  requireKeys(client, backup);
  await requireSameSchema(client, backup);
  const state = await client.call<RestoreState>("/auth/restore/begin", { id: manifest.id });
  if (state.isFinished) throw new Error("The deployment has this backup already; its restore has finished.");
  let { refused } = state;
  const run: RestoreRun = {
    client,
    backup,
    done: new Set(state.files),
    onRefused: (file, { key, reason }) => {
      refused += 1;
      if (refused <= PRINTED) console.log(`not written: ${file.store} ${file.part.table} ${key.join(" ")}: ${reason}`);
    },
  };
  // Before the mailboxes, which read them, and the main database last: from then on keys work and sign-ins are possible.
  console.log(`objects: ${await restoreObjects(run)} written`);
  const main = manifest.stores.filter(({ name }) => name === "main");
  for (const store of manifest.stores.filter(({ name }) => name !== "main")) {
    await restoreStore(run, store);
    if (store.name.startsWith("mail-")) console.log(`${store.name}: written`);
  }
  for (const store of main) await restoreStore(run, store);
  const { held } = await client.call<{ held: Record<string, number> }>("/auth/restore/finish", { id: manifest.id });
  console.log(`The backup ${manifest.id} is restored. ${refused} rows were not written.`);
  const counts = Object.entries(held).map(([kind, count]) => `${count} ${kind}`);
  console.log(`Held until npm run restore -- --release: ${counts.join(", ") || "nothing"}.`);
  console.log(
    "Search finds all mail when cron has indexed it, 60,000 emails a minute; npm run reindex does it at once.",
  );
}

function printUnfinished(id: string): void {
  console.log(`The backup ${id} is newer and unfinished, so it is left out.`);
}

/** Throws an Error unless the deployment has every master key of the backup. */
function requireKeys(client: BackupClient, { manifest }: OpenedBackup): void {
  const own = keyChecks(client.target.masterKeys);
  const missing = manifest.keys.filter(({ check }) => !own.some((one) => one.check === check));
  if (missing.length === 0) return;
  throw new Error(
    `MASTER_KEYS lacks key ${missing.map(({ version }) => version).join(", ")} of the backup: no API key, DKIM key or session of it ` +
      "would work. Set MASTER_KEYS of the deployment from the file that the backup wrote.",
  );
}

/** Throws an Error unless the databases have the migrations of the backup, no less and no more. */
async function requireSameSchema(client: BackupClient, { manifest }: OpenedBackup): Promise<void> {
  const { names } = await client.call<{ names: string[] }>("/auth/backup/databases", {});
  for (const store of manifest.stores.filter(({ name }) => !name.startsWith("mailbox-"))) {
    if (!names.includes(store.name))
      throw new Error(`The deployment has no database ${store.name}; add its binding to wrangler.toml and deploy.`);
    const { migrations } = await client.call<{ migrations: string[] }>("/auth/backup/tables", { store: store.name });
    const isSame = migrations.join() === store.migrations.join();
    if (!isSame)
      throw new Error(
        `${store.name} has other migrations than the backup. Restore with the version that made it (last migration ` +
          `${store.migrations.at(-1)}), then upgrade.`,
      );
  }
}

async function release(client: BackupClient): Promise<void> {
  for (let total = 0; ; ) {
    const { released } = await client.call<{ released: number }>("/auth/restore/release", {});
    total += released;
    if (released === 0) return console.log(`${total} were released; those that are due are being sent.`);
  }
}

/** Has the messages of all mailboxes read again that an earlier version took for texts. */
async function mend(client: BackupClient, dry: boolean): Promise<void> {
  let total = 0;
  for (const mailbox of await readMailboxIds(client)) {
    const { messages } = await client.call<{ messages: number }>("/auth/backup/mailbox-structures", { mailbox, dry });
    if (messages > 0) console.log(`${mailbox}: ${messages} messages`);
    total += messages;
  }
  console.log(`${total} messages ${dry ? "would be" : "are being"} read again.`);
}
