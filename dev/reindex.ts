// `npm run reindex -- --env production`: makes the search index of the mail databases anew, from the emails.
//   --env production|staging, --local (the service of `npm start`), or --url <PUBLIC_URL> with MASTER_KEYS set
//   --database <n>  only the mail database n
//   --continue      keeps what is indexed and only indexes the rest
import { readArguments } from "./arguments.ts";
import { BackupClient } from "./backups/client.ts";
import { readTarget, TARGET_USAGE, targetOptions } from "./backups/target.ts";

const usage = `reindex -- ${TARGET_USAGE} [--database <n>] [--continue]`;
const options = { ...targetOptions, database: { type: "string" }, continue: { type: "boolean" } } as const;
const { values } = readArguments({ usage, options });
try {
  const client = new BackupClient(await readTarget(values));
  const { names } = await client.call<{ names: string[] }>("/auth/backup/databases", {});
  const numbers = names.flatMap((name) => (name.startsWith("mail-") ? [Number(name.slice("mail-".length))] : []));
  for (const database of values.database === undefined ? numbers : [Number(values.database)]) {
    await reindex(client, database, values.continue !== true);
    console.log(`mail database ${database}: all emails are indexed`);
  }
} catch (error) {
  console.error((error as Error).message);
  console.error(`Usage: npm run ${usage}`);
  process.exit(1);
}

async function reindex(client: BackupClient, database: number, empties: boolean): Promise<void> {
  for (let [restart, isDone] = [empties, false]; !isDone; restart = false) {
    const response = await client.call<{ is_done: boolean }>("/auth/backup/reindex", { database, restart });
    isDone = response.is_done;
  }
}
