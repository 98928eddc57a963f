import { readFile, writeFile } from "node:fs/promises";
import { run } from "../run.ts";
import { type ComposedConfig, type EnvironmentFile, queueNames } from "./compose.ts";

/** Wrangler's responses for something that exists already. */
const EXISTS = /already (exists|taken|in use|owned)|code: (10004|11009)/i;

/** Runs a tool. Throws an Error with its output when it fails, unless `allowed` matches the output. */
export async function command(name: string, args: string[], allowed?: RegExp): Promise<string> {
  const { code, output } = await run(name, args);
  if (code !== 0 && !allowed?.test(output)) throw new Error(`${name} ${args.join(" ")} failed:\n${output.trim()}`);
  return output;
}

/** Creates the D1 databases that are missing and records their ids in the file of the environment. Safe to repeat. */
export async function createDatabases(config: ComposedConfig, file: string): Promise<Record<string, string>> {
  const known = await listDatabases();
  for (const { database_name } of config.d1_databases)
    if (!known.has(database_name)) await command("wrangler", ["d1", "create", database_name], EXISTS);
  const ids = await listDatabases();
  const databases = Object.fromEntries(
    config.d1_databases.map(({ binding, database_name, database_id }) => {
      const id = database_id || ids.get(database_name);
      if (id === undefined)
        throw new Error(`The database ${database_name} was created, but wrangler does not list it.`);
      return [binding, id];
    }),
  );
  const stored = JSON.parse(await readFile(file, "utf8")) as EnvironmentFile;
  await writeFile(file, `${JSON.stringify({ ...stored, databases }, null, 2)}\n`);
  return databases;
}

async function listDatabases(): Promise<Map<string, string>> {
  const output = await command("wrangler", ["d1", "list", "--json"]);
  const rows = JSON.parse(output.slice(output.indexOf("["), output.lastIndexOf("]") + 1)) as {
    name: string;
    uuid: string;
  }[];
  return new Map(rows.map(({ name, uuid }) => [name, uuid]));
}

/** The lifecycle rule of the bucket: ends multipart uploads that were not completed. R2 has a rule of its own for 7 days. */
const UPLOADS_RULE = { name: "end-unfinished-uploads", days: 1 };

/** Creates the buckets with their lifecycle rule and the queues, where they are missing. Safe to repeat. */
export async function createStores(config: ComposedConfig): Promise<void> {
  for (const { bucket_name } of config.r2_buckets) {
    await command("wrangler", ["r2", "bucket", "create", bucket_name], EXISTS);
    await addUploadsRule(bucket_name);
  }
  for (const queue of queueNames(config)) await command("wrangler", ["queues", "create", queue], EXISTS);
}

/** Adds the rule unless the bucket has it. No rule expires objects: rows name them, and the Worker deletes them with their rows. */
async function addUploadsRule(bucket: string): Promise<void> {
  const lifecycle = ["r2", "bucket", "lifecycle"];
  const { name, days } = UPLOADS_RULE;
  if ((await command("wrangler", [...lifecycle, "list", bucket])).includes(name)) return;
  await command("wrangler", [...lifecycle, "add", bucket, name, "--abort-multipart-days", String(days), "--force"]);
}

/** Wrangler's response to a name of a Worker that was never deployed. */
const NO_WORKER = /Worker ".*not found/;

/** Returns the names of the secrets that a Worker has; none when it was never deployed. */
export async function listDeployedSecrets(worker: string): Promise<string[]> {
  const output = await command("wrangler", ["secret", "list", "--name", worker], NO_WORKER);
  if (NO_WORKER.test(output)) return [];
  const rows = JSON.parse(output.slice(output.indexOf("["), output.lastIndexOf("]") + 1)) as { name: string }[];
  return rows.map(({ name }) => name);
}

/** Turns on Email Routing of a zone that does not have it, which adds its MX records. Throws when the zone is not in the account. */
export async function enableEmailRouting(zone: string): Promise<void> {
  const settings = await command("wrangler", ["email", "routing", "settings", zone]);
  if (!/Enabled:\s+true/.test(settings)) await command("wrangler", ["email", "routing", "enable", zone]);
}

/** Returns the size of the bundle in KiB after gzip, from the output of wrangler. Throws when it is not there. */
export function gzipSize(output: string): number {
  const [, kib] = /gzip: ([\d.]+) KiB/.exec(output) ?? [];
  if (kib === undefined) throw new Error(`wrangler did not print the size of the bundle:\n${output}`);
  return Number(kib);
}
