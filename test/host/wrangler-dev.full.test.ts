/** The steps of .dev.vars.example, run as they are written in a copy of what Git has. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, cp, readFile, symlink } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listDomains } from "../../dev/dns/list-domains.ts";
import { startLocalDns } from "../../dev/dns/local.ts";
import { CountingSink } from "./support/counting-sink.ts";
import { findTestPort } from "./support/ports.ts";
import { temporaryFolder } from "./support/suite.ts";

const ROOT = path.join(import.meta.dirname, "../..");
const execute = promisify(execFile);
const HINT = "Run npm start, which sets up everything, or follow the steps in .dev.vars.example.";

const folder = temporaryFolder();
let port: number;
let url: string;
let steps: string[];
let worker: ChildProcess | undefined;
let dns: Awaited<ReturnType<typeof startLocalDns>>;
let apiKey = "";
const sink = new CountingSink();

beforeAll(async () => {
  const { stdout } = await execute("git", ["ls-files", "-z"], { cwd: ROOT, maxBuffer: 10_000_000 });
  for (const file of stdout.split("\0").filter(Boolean)) await cp(path.join(ROOT, file), path.join(folder, file));
  await symlink(path.join(ROOT, "node_modules"), path.join(folder, "node_modules"));
  port = await findTestPort();
  url = `http://127.0.0.1:${port}`;
  const example = await readFile(path.join(folder, ".dev.vars.example"), "utf8");
  steps = [...example.matchAll(/^# {3}(\S.*)$/gm)].map(([, step = ""]) => step.replaceAll("8787", String(port)));
  dns = await startLocalDns(0, () => listDomains(`${url}/v1`, apiKey));
  await sink.listen();
}, 60_000);
afterAll(async () => {
  await stopWorker();
  await dns.close();
  sink.close();
});

const shell = (step = "") => execute("bash", ["-c", step], { cwd: folder });

/** Runs the step that starts the Worker, at the port of this test, until it responds. */
async function startWorker(step = "npx wrangler dev"): Promise<void> {
  const [command = "", ...args] = step.split(" ");
  const env = { ...process.env, CI: "1", WRANGLER_SEND_METRICS: "false" };
  const child = spawn(command, [...args, "--port", String(port)], {
    cwd: folder,
    env,
    stdio: "ignore",
    detached: true,
  });
  worker = child;
  await expect.poll(async () => (await fetch(`${url}/health`)).status, { timeout: 90_000 }).toBe(200);
}

async function stopWorker(): Promise<void> {
  if (worker?.pid === undefined || worker.exitCode !== null) return;
  process.kill(-worker.pid, "SIGTERM");
  await once(worker, "exit");
}

async function call<Reply>(method: string, target: string, body?: object, headers = {}): Promise<Reply> {
  const authorization: Record<string, string> = apiKey === "" ? {} : { Authorization: `Bearer ${apiKey}` };
  const response = await fetch(`${url}/v1${target}`, {
    method,
    headers: { "Content-Type": "application/json", ...authorization, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  expect(response.ok, `${method} ${target}: ${response.status} ${text}`).toBe(true);
  return JSON.parse(text) as Reply;
}

/** Opens the link that the command printed, and returns an API key of the account. */
async function keyBy(link: string): Promise<string> {
  const signedIn = await fetch(link, { method: "POST", headers: { Origin: url }, redirect: "manual" });
  const Cookie = signedIn.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";")[0])
    .join("; ");
  const scopes = ["emails:send", "emails:view", "domains:view", "domains:manage", "mailboxes:manage"];
  return (await call<{ key: string }>("POST", "/api-keys/", { name: "First", scopes }, { Cookie, Origin: url })).key;
}

describe.sequential("wrangler dev from a fresh clone", () => {
  it("says what is missing, on pages and in JSON", async () => {
    await startWorker();
    const page = await fetch(url, { headers: { Accept: "text/html" } });
    const text = await page.text();
    expect([page.status, page.headers.get("Content-Type")]).toEqual([503, "text/html; charset=UTF-8"]);
    for (const words of ["MASTER_KEYS: missing", "migrations are not applied", HINT]) expect(text).toContain(words);
    const response = await fetch(`${url}/v1/me`);
    const { detail } = (await response.json()) as { detail: string };
    expect([response.status, detail]).toEqual([503, expect.stringContaining("MASTER_KEYS: missing")]);
    await stopWorker();
  }, 120_000);

  it("sends an email after the steps of .dev.vars.example, to the simulator and to EGRESS_URL", async () => {
    const [copy, key, migrate, start, bootstrap] = steps;
    for (const step of [copy, key]) await shell(step);
    await appendFile(
      path.join(folder, ".dev.vars"),
      `DNS_RESOLVER_URL=http://127.0.0.1:${dns.port}/dns-query\nPUBLIC_URL=${url}\nEGRESS_URL=smtp://127.0.0.1:${sink.port}/?tls=off\n`,
    );
    expect((await shell(migrate)).stdout).toContain("All migrations are applied.");
    await startWorker(start);
    const [link = ""] = /http:\S+\/auth\/magic-link\/\S+/.exec((await shell(bootstrap)).stdout) ?? [];
    apiKey = await keyBy(link);
    const domain = await call<{ id: string }>("POST", "/domains/", { name: "clone.test" });
    expect(await call("POST", `/domains/${domain.id}/verify`)).toMatchObject({ status: "verified" });
    await call("POST", "/mailboxes/", { domain_id: domain.id, local_part: "hello" });
    for (const to of ["delivered@simulator.test", "ada@example.org"]) {
      const mail = { from_: { email: "hello@clone.test" }, to: [{ email: to }], subject: to, text: "Hello" };
      const { id } = await call<{ id: string }>("POST", "/emails/", mail);
      const statusOf = async () => (await call<{ status: string }>("GET", `/emails/${id}`)).status;
      await expect.poll(statusOf, { timeout: 30_000 }).toBe("delivered");
    }
    expect(sink.receipts.map(({ recipients }) => recipients)).toEqual([["ada@example.org"]]);
    // Scheduled mail waits for a cron job, which nothing but this command runs.
    expect((await shell(steps[5])).stdout).toBe("ok");
  }, 180_000);
});
