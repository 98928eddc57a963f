/** The commands of the documents that are marked `runs`, in their order, against a service that the first of them starts. */
import { type ChildProcess, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LocalService } from "../../dev/local-file.ts";
import type { Secrets } from "../../dev/state/secrets.ts";
import { commandsOf, type Document, namedOperations, ROOT, readBlocks, readDocuments } from "./support/documents.ts";
import { findTestPort } from "./support/ports.ts";
import { temporaryFolder } from "./support/suite.ts";

const START_MS = 90_000;

/** The commands of a document, which one shell runs, so that a variable that one sets is there for the next. */
interface Run {
  document: string;
  commands: string[];
  /** Of each an HTTP status, or an exit code below 100. */
  expected: number[];
}

const documents = readDocuments();
const runs = documents.map(toRun).filter(({ commands }) => commands.length > 0);
const stateDir = temporaryFolder();
let port: number;
let service: ChildProcess;
let log = "";
let local: LocalService;
let masterKeys: string;

beforeAll(async () => {
  port = await findTestPort();
  service = spawn("npm", ["start"], {
    cwd: ROOT,
    detached: true,
    env: environment(),
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
});

describe("the documented commands", () => {
  it("are enough to use, watch, save and operate a service", () => {
    const commands = runs.flatMap((run) => run.commands);
    expect(commands.length).toBeGreaterThan(15);
    expect(new Set(commands.map((command) => /\b(curl|npm run [\w-]+)/.exec(command)?.[0])).size).toBeGreaterThan(3);
  });

  it.each(runs)("of $document end as they are marked, and need no variable that it does not set", async (run) => {
    const filled = await Promise.all(run.commands.map((command) => fillIn(run.document, command)));
    const { statuses, output } = await execute(filled);
    expect(statuses, output).toEqual(run.expected);
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
const environment = () => Object.assign({ ...process.env }, { PORT: String(port), STATE_DIR: stateDir });

/** Returns the commands of a document that are marked, with what each must end with. The service is already started. */
function toRun(document: Document): Run {
  const run: Run = { document: document.file, commands: [], expected: [] };
  for (const block of readBlocks(document)) {
    const [, list] = /^runs: (.+)$/.exec(block.mark ?? "") ?? [];
    if (list === undefined || list === "ready") continue;
    const expected = list.split(", ").map(Number);
    const commands = commandsOf(block);
    if (commands.length !== expected.length || expected.some(Number.isNaN))
      throw new Error(`${block.document}:${block.line} has ${commands.length} commands and the mark "${block.mark}"`);
    run.commands.push(...commands);
    run.expected.push(...expected);
  }
  return run;
}

async function waitForLocalFile(): Promise<LocalService> {
  const end = Date.now() + START_MS - 5_000;
  for (; Date.now() < end && service.exitCode === null; await sleep(100)) {
    const text = await readFile(path.join(stateDir, "local.json"), "utf8").catch(() => "");
    if (text !== "") return JSON.parse(text) as LocalService;
  }
  throw new Error(`npm start was not ready:\n${log}`);
}

/**
 * Puts the port and the folder of this run in place of those of the documents, and the values that these ask the reader for. Pages for
 * operators name a deployment too; here it is the local service.
 */
async function fillIn(document: string, command: string): Promise<string> {
  const ofDeployment: [RegExp, string][] = [
    [/<(?:as deployed|of step 2)>/g, `'${masterKeys}'`],
    [/https:\/\/mail\.example\.com/g, origin()],
    [/you@example\.com/g, "owner@example.org"],
    [/--env production/g, "--local"],
    [/\/backup\/mail/g, path.join(stateDir, "backup")],
  ];
  const values: [RegExp, string][] = [
    [/(?<=127\.0\.0\.1:)8787/g, String(local.ports.api)],
    [/(?<=127\.0\.0\.1:)8789/g, String(local.ports.captured_mail)],
    [/(?<=localhost:)8791/g, String(local.ports.submission)],
    [/(?:\.\/)?\.dev\//g, `${stateDir}/`],
    [/<API key>/g, local.api_key],
    [/<id>/g, local.workspace_id],
    [/<return path>/g, command.includes("<return path>") ? await returnPath() : ""],
    ...(/^docs\/(operating|monitoring)/.test(document) ? ofDeployment : []),
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

/** Runs commands in one bash. Returns of each the HTTP status of curl, or the exit code of another command. */
async function execute(commands: readonly string[]): Promise<{ statuses: number[]; output: string }> {
  const curl = `curl() { command curl --silent --show-error --max-time 60 --write-out '%{stderr}\\nresponded with %{response_code}\\n' "$@"; }`;
  const steps = commands.map((command) => `${command}\nprintf '\\nended with %d\\n' $?`);
  const child = spawn("bash", ["-c", ["exec 2>&1", curl, ...steps].join("\n")], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "inherit"],
    env: environment(),
  });
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  await new Promise((resolve) => child.once("close", resolve));
  const statuses = output
    .split(/(?<=ended with \d+)\n/)
    .filter((part) => part !== "")
    .map((part) => {
      const code = Number(/ended with (\d+)$/.exec(part)?.[1] ?? -1);
      const responded = /responded with (\d+)\s+ended with \d+$/.exec(part)?.[1];
      return responded !== undefined && code === 0 ? Number(responded) : code;
    });
  return { statuses, output };
}
