/**
 * A stand-in of wrangler with an account in a folder: `node stand-in-wrangler.ts <folder> <arguments of wrangler>`. It keeps what it
 * is told to create in `account.json`, logs its arguments, and fails where the real one would ask or do harm: on a command for a Worker
 * or database that the account does not have, as one without --config, which is about the Worker of wrangler.toml.
 */
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import type { Account } from "./stand-in.ts";

const [, , folder = "", ...words] = process.argv;
const accountFile = path.join(folder, "account.json");
const account = JSON.parse(readFileSync(accountFile, "utf8")) as Account;
appendFileSync(path.join(folder, "wrangler.log"), `wrangler ${words.join(" ")}\n`);

const flag = { type: "boolean" } as const;
const { values, positionals } = parseArgs({
  args: words,
  allowPositionals: true,
  options: {
    config: { type: "string", short: "c" },
    name: { type: "string" },
    "secrets-file": { type: "string" },
    "abort-multipart-days": { type: "string" },
    command: { type: "string" },
    timestamp: { type: "string" },
    bookmark: { type: "string" },
    ...{ json: flag, strict: flag, force: flag, remote: flag },
  },
});
const [area = "", ...rest] = positionals;
try {
  await run();
  writeFileSync(accountFile, JSON.stringify(account));
} catch (error) {
  console.log((error as Error).message);
  process.exitCode = 1;
}

interface Config {
  name: string;
  d1_databases: { binding: string; database_name: string }[];
}

function readConfig(): Config {
  if (values.config !== undefined) return JSON.parse(readFileSync(values.config, "utf8")) as Config;
  const toml = readFileSync(path.join(import.meta.dirname, "../../../wrangler.toml"), "utf8");
  return { name: /^name = "(.+)"/m.exec(toml)?.[1] ?? "", d1_databases: [] };
}

/** Returns the Worker that the command is about. Throws an Error when the account does not have it. */
function findWorker(): Account["workers"][string] {
  const name = values.name ?? readConfig().name;
  const worker = account.workers[name];
  if (!worker) throw new Error(`Worker "${name}" not found.`);
  return worker;
}

function findDatabase(name = ""): void {
  const found = readConfig().d1_databases.find(({ binding }) => binding === name)?.database_name ?? name;
  if (!account.databases.includes(found)) throw new Error(`Couldn't find DB with name "${found}"`);
}

/** Adds a resource. Throws an Error when the account has it. */
function make(what: string): void {
  if (account.made.includes(what)) throw new Error("it already exists");
  account.made.push(what);
}

async function run(): Promise<void> {
  const [verb = "", ...names] = rest;
  if (area === "secret") await runSecret(verb, names);
  else if (area === "d1") runD1(verb, names);
  else if (area === "deploy") deployWorker();
  else if (area === "tail" || area === "rollback") findWorker();
  else if (area === "r2") runR2(names);
  else if (area === "queues") make(`queue ${names[0]}`);
  else if (area === "email") console.log("  Enabled:  false");
  else if (area !== "login") throw new Error(`the stand-in does not know: wrangler ${words.join(" ")}`);
}

async function runSecret(verb: string, [first = ""]: string[]): Promise<void> {
  const worker = findWorker();
  if (verb === "list") console.log(JSON.stringify(Object.keys(worker.secrets).map((name) => ({ name }))));
  else if (verb === "put") worker.secrets[first] = (await text(process.stdin)).trim();
  else if (verb === "bulk") Object.assign(worker.secrets, JSON.parse(readFileSync(first, "utf8")));
  else throw new Error(`the stand-in does not know: secret ${verb}`);
}

function runD1(verb: string, names: string[]): void {
  if (verb === "list") console.log(JSON.stringify(account.databases.map((name) => ({ name, uuid: `id-of-${name}` }))));
  else if (verb === "create") {
    make(`database ${names[0]}`);
    account.databases.push(names[0] ?? "");
  } else findDatabase(verb === "time-travel" ? names[1] : names[0]);
}

function deployWorker(): void {
  const { name } = readConfig();
  const secrets = values["secrets-file"] ? (JSON.parse(readFileSync(values["secrets-file"], "utf8")) as object) : {};
  // As the real one: secrets that are left out stay.
  account.workers[name] = { secrets: { ...account.workers[name]?.secrets, ...secrets } };
}

function runR2([verb = "", ...names]: string[]): void {
  const [action, bucket = "", rule = ""] = names;
  if (verb === "create") make(`bucket ${action}`);
  else if (action === "add") account.rules[bucket] = [...(account.rules[bucket] ?? []), `name: ${rule}`];
  else console.log((account.rules[bucket] ?? []).join("\n"));
}
