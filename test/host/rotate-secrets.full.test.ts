/**
 * The master key of a running deployment is replaced by the commands of docs/operating/secrets.md, each in a process of its own.
 * Before, between and after the steps every request gets a response, and what was sealed, signed and accepted before still works.
 */
import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Seeded } from "../../dev/seed-workspace.ts";
import { call, runCommand } from "./support/backup-site.ts";
import { CountingSink } from "./support/counting-sink.ts";
import { findTestPort } from "./support/ports.ts";
import { RestartableHost } from "./support/restartable-host.ts";
import { temporaryFolder } from "./support/suite.ts";
import { WebhookReceiver } from "./support/webhook-receiver.ts";

const DAY_MS = 86_400_000;
const newKey = (version: number) => `${version}:${randomBytes(32).toString("base64")}`;

const folder = temporaryFolder();
/** Options of `npm run rotate-secrets` that name its two files. */
let files: string[];
let url: string;
let host: RestartableHost;
let seeded: Seeded;
const sink = new CountingSink();
const vars: Record<string, string> = { MASTER_KEYS: newKey(1) };
const receiver = new WebhookReceiver();
/** Cookies of the platform administrator by name. */
const cookies = new Map<string, string>();
/** Responses of all requests, as `<request> <status>`. */
const responses = new Set<string>();

beforeAll(async () => {
  await sink.listen();
  await receiver.listen();
  const port = await findTestPort();
  url = `http://127.0.0.1:${port}`;
  Object.assign(vars, { PUBLIC_URL: url, EGRESS_URL: `smtp://127.0.0.1:${sink.port}/?tls=off` });
  Object.assign(vars, { LIVE_WEBHOOKS: "on", WEBHOOK_ALLOW_INSECURE: "on" });
  host = new RestartableHost({ stateDir: path.join(folder, "state"), port, vars, queueSeconds: 0 });
  const settings = path.join(folder, "settings.json");
  await writeFile(settings, JSON.stringify({ vars: { PUBLIC_URL: url } }));
  await store(vars.MASTER_KEYS);
  files = ["--env", "production", "--settings", settings, "--secrets", path.join(folder, "secrets.json")];
  await host.startAndSeed();
  await host.start();
  const { output } = await runCommand(
    "bootstrap",
    ["--url", url, "--email", "ada@example.org"],
    null,
    vars.MASTER_KEYS,
  );
  const [link = ""] = /http:\S+\/auth\/magic-link\/\S+/.exec(output) ?? [output];
  await fetchWithCookies("POST", new URL(link).pathname);
  [seeded] = (await host.seed("rotation.example")) as [Seeded];
}, 120_000);
afterAll(async () => {
  await host?.stop();
  sink.close();
  receiver.close();
});

/** Calls the service as the administrator, and keeps the cookies that it sets. */
async function fetchWithCookies(method: string, target: string): Promise<Response> {
  const headers = { Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; "), Origin: url };
  const response = await fetch(url + target, { method, headers, redirect: "manual" });
  for (const cookie of response.headers.getSetCookie()) {
    const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
    cookies.set(name, value);
  }
  responses.add(`${method} ${target.split("/").slice(0, 3).join("/")} ${response.status}`);
  return response;
}

/** Emails of each step, at the least. */
const EMAILS = 3;

/** Sends emails, reads, and calls as the administrator, until it is stopped. Returns the function that stops it. */
function callOn(): () => Promise<string[]> {
  let isRunning = true;
  const headers = { Authorization: `Bearer ${seeded.apiKey}`, "Content-Type": "application/json" };
  const subjects: string[] = [];
  const run = async () => {
    for (; isRunning || subjects.length < EMAILS; await sleep(5)) {
      const subject = `Mail ${subjects.length} of ${Date.now()}`;
      const mail = { from_: { email: seeded.mailbox }, to: [{ email: "friend@example.org" }], subject, text: "Hello" };
      const sent = await fetch(`${url}/v1/emails/`, { method: "POST", headers, body: JSON.stringify(mail) });
      responses.add(`POST /v1/emails/ ${sent.status}`);
      if (sent.status === 202) subjects.push(subject);
      responses.add(`GET /v1/me ${(await fetch(`${url}/v1/me`, { headers })).status}`);
      await fetchWithCookies("GET", "/v1/admin/workspaces");
    }
    return subjects;
  };
  const running = run();
  running.catch(() => {});
  return () => {
    isRunning = false;
    return running;
  };
}

/** Runs `npm run rotate-secrets` while requests are made. Returns its output and the subjects of the emails accepted meanwhile. */
async function rotate(option: string[]) {
  const stop = callOn();
  const result = await runCommand("rotate-secrets", [...option, ...files], null, "");
  return { ...result, subjects: await stop(), keys: await storedKeys() };
}

/** Returns the master keys in the file of secrets. */
async function storedKeys(): Promise<string> {
  return (JSON.parse(await readFile(path.join(folder, "secrets.json"), "utf8")) as { MASTER_KEYS: string }).MASTER_KEYS;
}

/** Writes the file of secrets with these master keys. */
const store = (MASTER_KEYS: string | undefined) =>
  writeFile(path.join(folder, "secrets.json"), JSON.stringify({ MASTER_KEYS, EGRESS_URL: vars.EGRESS_URL }));

/** Starts the service again with the stored master keys, as a deploy of the secret does. */
async function deploy(): Promise<void> {
  await host.kill();
  vars.MASTER_KEYS = await storedKeys();
  await (await host.start()).restarted;
}

const versionsOf = (keys: string) => keys.split(",").map((key) => key.split(":")[0]);
const isDelivered = (subject: string) => sink.receipts.some((receipt) => receipt.subject === subject);

/** Waits until the egress has got all emails, at most 30 seconds. */
async function expectDelivered(subjects: readonly string[]): Promise<void> {
  await expect.poll(() => subjects.filter((subject) => !isDelivered(subject)), { timeout: 30_000 }).toEqual([]);
}

it("replaces the master key with no refused request, and without the old key everything still works", async () => {
  const api = <Out>(request: readonly [string, string], body?: object) => call<Out>(host, seeded.apiKey, request, body);
  const old = vars.MASTER_KEYS ?? "";
  const webhook = { url: receiver.url, events: ["email.sent", "email.delivered"] };
  receiver.secret = (await api<{ secret: string }>(["POST", "/v1/webhooks/"], webhook)).secret;
  const early = "Accepted before the rotation";
  const scheduled = await api<{ id: string }>(["POST", "/v1/emails/"], {
    ...{ from_: { email: seeded.mailbox }, to: [{ email: "late@example.org" }], subject: early, text: "Later" },
    send_at: new Date(Date.now() + DAY_MS).toISOString(),
  });

  const added = await rotate(["--add"]);
  expect([added.code, versionsOf(added.keys)], added.output).toEqual([0, ["2", "1"]]);
  const unknown = await rotate(["--use"]);
  expect([unknown.code, unknown.output]).toEqual([1, expect.stringContaining("does not know key 2 everywhere yet")]);

  await deploy();
  const used = await rotate(["--use"]);
  expect([used.code, versionsOf(used.keys)], used.output).toEqual([0, ["1", "2"]]);

  await deploy();
  const sealed = await rotate([]);
  // Two DKIM keys, the secret of the webhook, and the key of the hashes of erased persons.
  expect([sealed.code, sealed.output]).toEqual([0, expect.stringContaining("4 stored secrets were encrypted again")]);
  // The session ends by it, which was not refreshed since.
  const refused = await rotate(["--remove"]);
  expect([refused.code, versionsOf(refused.keys)], refused.output).toEqual([1, ["1", "2"]]);
  expect(refused.output).toMatch(/- [1-9]\d* sessions[\s\S]*--even-so when a key has leaked/);
  expect((await fetchWithCookies("POST", "/auth/refresh")).status).toBe(200);
  const again = await rotate([]);
  expect(again.output).toContain("0 stored secrets were encrypted again; all are under key 2.");
  expect(again.output).toContain("Only the links in older emails still need the older keys.");

  const removed = await rotate(["--remove"]);
  // Nothing ends by it: the credentials were used since.
  expect([removed.code, versionsOf(removed.keys)], removed.output).toEqual([0, ["2"]]);
  await deploy();
  expect(vars.MASTER_KEYS).not.toContain(old);
  const stop = callOn();
  await api(["POST", `/v1/emails/scheduled/${scheduled.id}/send-now`]);
  expect((await fetchWithCookies("POST", "/auth/refresh")).status).toBe(200);
  await expectDelivered([early]);
  const last = await stop();
  const steps = [added, unknown, used, sealed, refused, again, removed].map(({ subjects }) => subjects);
  for (const subjects of [...steps, last]) expect(subjects.length).toBeGreaterThanOrEqual(EMAILS);
  await expectDelivered([...steps, last].flat());
  // Its secret was sealed with the old key.
  await receiver.expectSigned(scheduled.id);
  expect([...responses].sort()).toEqual([
    "GET /v1/admin 200",
    "GET /v1/me 200",
    "POST /auth/magic-link 303",
    "POST /auth/refresh 200",
    "POST /v1/emails/ 202",
  ]);
  await store(old);
  const wrong = await rotate([]);
  expect([wrong.code, wrong.output]).toEqual([1, expect.stringContaining("not signed with a master key")]);
});
