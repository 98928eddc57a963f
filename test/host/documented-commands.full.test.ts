/** The commands of the documents that are marked `runs`, in their order, against a service that the first of them starts. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LocalService } from "../../dev/local-file.ts";
import type { Secrets } from "../../dev/state/secrets.ts";
import { type Block, commandsOf, namedOperations, ROOT, readBlocks, readDocuments } from "./support/documents.ts";
import { findTestPort } from "./support/ports.ts";

const START_MS = 90_000;

interface Run {
  where: string;
  command: string;
  /** An HTTP status, or an exit code below 100. */
  expected: number;
}

const documents = readDocuments();
const runs = documents.flatMap(readBlocks).flatMap(toRuns);
let stateDir: string;
let port: number;
let service: ChildProcess;
let log = "";
let local: LocalService;
let masterKeys: string;
/** The id in the last response. */
let id = "";

beforeAll(async () => {
  stateDir = await mkdtemp(path.join(os.tmpdir(), "email-delivery-documents-"));
  port = await findTestPort();
  service = spawn("npm", ["start"], {
    cwd: ROOT,
    detached: true,
    env: environment({ LIVE_WEBHOOKS: "on", WEBHOOK_ALLOW_INSECURE: "on" }),
    stdio: ["ignore", "pipe", "pipe"],
  });
  for (const stream of [service.stdout, service.stderr]) stream?.on("data", (chunk) => (log += chunk));
  local = await waitForLocalFile();
  const secrets = JSON.parse(await readFile(path.join(stateDir, "secrets.json"), "utf8")) as Secrets;
  masterKeys = secrets.master_keys;
}, START_MS);
afterAll(async () => {
  if (service?.pid && service.exitCode === null) {
    const ended = new Promise((resolve) => service.once("exit", resolve));
    process.kill(service.pid, "SIGTERM");
    await ended;
  }
  await rm(stateDir, { recursive: true, force: true });
});

describe("the documented commands", () => {
  it("are enough to use, watch, save and operate a service", () => {
    expect(runs.length).toBeGreaterThan(11);
    expect(new Set(runs.map(({ command }) => /\b(curl|npm run [\w-]+)/.exec(command)?.[0])).size).toBeGreaterThan(3);
  });

  it.each(runs)("end as they are marked: $where: $command", async ({ command, expected }) => {
    const { status, output } = await execute(await fillIn(command));
    expect(status, output).toBe(expected);
  });

  it("call only endpoints that the service has", async () => {
    const { paths } = (await (await fetch(`${origin()}/openapi.json`)).json()) as { paths: Record<string, object> };
    const plain = (target: string) => target.replace(/\{[^}]*\}|<[^>]*>/g, "{}").replace(/\?.*/, "");
    const known = new Set(
      Object.entries(paths).flatMap(([target, methods]) =>
        Object.keys(methods).map((method) => `${method.toUpperCase()} ${plain(target)}`),
      ),
    );
    const named = documents.flatMap(namedOperations);
    expect(named.length).toBeGreaterThan(15);
    expect(named.filter(({ operation }) => !known.has(plain(operation)))).toEqual([]);
  });
});

const origin = () => `http://127.0.0.1:${port}`;
/** Returns the environment of a command. */
const environment = (more: Record<string, string | undefined>) =>
  Object.assign({ ...process.env }, { PORT: String(port), STATE_DIR: stateDir }, more);

/** Returns the commands of a block with what each must end with. The service is already started. */
function toRuns(block: Block): Run[] {
  const [, list] = /^runs: (.+)$/.exec(block.mark ?? "") ?? [];
  if (list === undefined || list === "ready") return [];
  const expected = list.split(", ").map(Number);
  const commands = commandsOf(block);
  if (commands.length !== expected.length || expected.some(Number.isNaN))
    throw new Error(`${block.document}:${block.line} has ${commands.length} commands and the mark "${block.mark}"`);
  return commands.map((command, index) => ({
    where: `${block.document}:${block.line}`,
    command,
    expected: expected[index] ?? 0,
  }));
}

async function waitForLocalFile(): Promise<LocalService> {
  const end = Date.now() + START_MS - 5_000;
  for (; Date.now() < end && service.exitCode === null; await sleep(100)) {
    const text = await readFile(path.join(stateDir, "local.json"), "utf8").catch(() => "");
    if (text !== "") return JSON.parse(text) as LocalService;
  }
  throw new Error(`npm start was not ready:\n${log}`);
}

/** Puts the values of the service in place of those of the documents. */
async function fillIn(command: string): Promise<string> {
  const values: [RegExp, string][] = [
    [/(?<=127\.0\.0\.1:)8787/g, String(local.ports.api)],
    [/(?<=localhost:)8791/g, String(local.ports.submission)],
    [/\.dev\//g, `${stateDir}/`],
    [/<API key>/g, local.api_key],
    [/<(?:as deployed|of step 2)>/g, `'${masterKeys}'`],
    [/https:\/\/mail\.example\.com/g, origin()],
    [/https:\/\/hooks\.example\.com/g, origin()],
    [/you@example\.com/g, "owner@example.org"],
    [/--env production/g, "--local"],
    [/\/backup\/mail/g, path.join(stateDir, "backup")],
    [/<id>/g, local.workspace_id],
    [/<return path>/g, command.includes("<return path>") ? await returnPath() : ""],
  ];
  const filled = values.reduce((text, [pattern, value]) => text.replace(pattern, value), command);
  const left = /<[a-z][^>]*>|8787|example\.com(?!\W|$)/i.exec(filled.replace(/'[{<].*?'/g, ""));
  if (left) throw new Error(`the test has no value for ${left[0]} in: ${command}`);
  return filled;
}

/** Returns the return path of the first captured mail to friend@example.org. */
async function returnPath(): Promise<string> {
  for (const end = Date.now() + 20_000; Date.now() < end; await sleep(100)) {
    const mails = (await (await fetch(`${local.captured_mail_url}/messages`)).json()) as {
      from: string;
      to: string[];
    }[];
    const mail = mails.findLast(({ to }) => to.includes("friend@example.org"));
    if (mail) return mail.from;
  }
  throw new Error("no mail to friend@example.org was captured");
}

/** Runs a command in bash. Returns the HTTP status of curl, or the exit code of another command. */
async function execute(command: string): Promise<{ status: number; output: string }> {
  const curl = `curl() { command curl --silent --show-error --max-time 60 --write-out '\\nresponded with %{response_code}\\n' "$@"; }`;
  const child = spawn("bash", ["-c", `${curl}\n${command}`], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
    env: environment({
      ...{ API: origin(), KEY: local.api_key, API_KEY: local.api_key, ID: id, METRICS_TOKEN: "" },
      ...{ USERNAME: local.smtp?.username, PASSWORD: local.smtp?.password },
    }),
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  const code = await new Promise<number>((resolve) => child.once("close", (ended) => resolve(ended ?? -1)));
  id = /"id":"([0-9a-f-]{36})"/.exec(output)?.[1] ?? id;
  const [, responded] = /responded with (\d+)\s*$/.exec(output) ?? [];
  return { status: responded !== undefined && code === 0 ? Number(responded) : code, output };
}
