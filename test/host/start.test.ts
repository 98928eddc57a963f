import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { dkimVerify } from "mailauth/lib/dkim/verify.js";
import nodemailer from "nodemailer";
import { afterAll, describe, it, vi } from "vitest";
import type { Seeded } from "../../dev/seed-workspace.ts";
import { type Captured, captured, raw } from "./support/captured-mail.ts";
import { byExtent, isFull } from "./support/extent.ts";
import { lookUpTxt } from "./support/look-up-txt.ts";
import { findTestPort } from "./support/ports.ts";
import { signUp } from "./support/sign-up.ts";

interface Local {
  base_url: string;
  api_key: string;
  mailbox: string;
  captured_mail_url: string;
  dns_url: string;
  smtp: { host: string; port: number; username: string; password: string; ca_file: string };
  webmail: { sign_in_url: string; email: string; password: string };
  ports: { [name: string]: number };
}

interface Domain {
  id: string;
  status: string;
  verified_at: string | null;
  records: { name: string; status: string }[];
}

const ROOT = path.join(import.meta.dirname, "../..");
/** The service itself gives its Worker 90 seconds on a busy machine, and prepares the database before. */
const READY_MS = 110_000;
/** How long another condition is waited for, on a busy machine. */
const WAIT = { timeout: 60_000, interval: 50 };
const stateDir = await mkdtemp(path.join(os.tmpdir(), "email-delivery-start-"));
const port = await findTestPort();
const localFile = path.join(stateDir, "local.json");
const started: ChildProcess[] = [];
/** The starts that became ready, oldest first. */
const services: ChildProcess[] = [];

afterAll(async () => {
  for (const child of started) signalGroup(child, "SIGKILL");
  await waitUntilStopped();
  await rm(stateDir, { recursive: true, force: true });
});

describe("npm start", () => {
  let first: Local;
  let emailId = "";

  it("delivers an email whose DKIM signatures verify, and reports it as delivered", async ({ expect }) => {
    first = await start();
    expect(first.base_url).toBe(`http://127.0.0.1:${port}/v1`);
    emailId = await send(first, "The first one", { unsubscribe: true });
    const mail = await waitUntilCaptured(first, 1);
    expect(mail.to).toEqual(["friend@example.org"]);
    // The third one is that of the domain for complaints, whose record the DNS of the service has.
    expect(await verify(first, await raw(first, mail.id))).toEqual(["pass", "pass", "pass"]);
    const detail = await waitUntilStatus(first, emailId, "delivered");
    expect(detail.events.map((event) => event.event_type)).toEqual(["queued", "delivered"]);
  });

  it("logs a line of JSON for each event, and none for each request, in a Worker without an inspector", async ({
    expect,
  }) => {
    const lines = (await readFile(path.join(stateDir, "worker.log"), "utf8")).trim().split("\n");
    expect(lines.filter((line) => line.includes('"event":"emails.accepted"'))).toHaveLength(1);
    expect(lines.filter((line) => /(POST|QUEUE) /.test(line))).toEqual([]);
    const commands = await Promise.all(
      (await processesOnState()).map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")),
    );
    const workers = commands.filter((command) => command.includes("workerd\0serve"));
    expect(workers).toHaveLength(2);
    expect(workers.join()).not.toContain("inspector");
  });

  it("takes mail by SMTP with the login of local.json, and a bounce comes back through the MX", async ({ expect }) => {
    const { host, port: smtpPort, username, password, ca_file } = first.smtp;
    const transport = nodemailer.createTransport({
      host,
      port: smtpPort,
      requireTLS: true,
      auth: { user: username, pass: password },
      tls: { ca: await readFile(ca_file), servername: "localhost" },
    });
    // The domain is hosted here, and has no such mailbox.
    const to = first.mailbox.replace(/^[^@]+/, "nobody");
    const { response } = await transport.sendMail({ from: first.mailbox, to, subject: "By SMTP", text: "x" });
    transport.close();
    const [, id = ""] = /Queued as (\S+)/.exec(response) ?? [];
    const detail = await waitUntilStatus(first, id, "bounced");
    expect(detail.events.map((event) => event.event_type)).toEqual(["queued", "delivered", "bounced"]);
  });

  it("prints a page of webmail on which the password of the seeded mailbox signs in", async ({ expect }) => {
    const { sign_in_url, email, password } = first.webmail;
    const page = await (await fetch(sign_in_url)).text();
    expect(page).toContain(`value="${first.mailbox}"`);
    const body = new URLSearchParams({ email, password });
    const signedIn = await fetch(new URL("/mail/sign-in", sign_in_url), { method: "POST", body, redirect: "manual" });
    expect([signedIn.status, signedIn.headers.get("Location")]).toEqual([303, "/mail"]);
    expect(signedIn.headers.getSetCookie().join()).toContain("mailbox=");
  });

  it("is ready, with a mailbox for its own emails", async ({ expect }) => {
    const response = await fetch(new URL("/ready", first.base_url));
    expect(await response.json()).toMatchObject({ status: "ready", system_mail: "configured" });
  });

  it("lets only its user read the state that it creates", async ({ expect }) => {
    const entries = await readdir(stateDir);
    const modes = await Promise.all(entries.map(async (name) => (await stat(path.join(stateDir, name))).mode & 0o077));
    expect(entries.filter((_, index) => modes[index] !== 0)).toEqual([]);
  });

  it("shows the email on the captured mail page and returns 404 for unknown ids", async ({ expect }) => {
    expect(await (await fetch(first.captured_mail_url)).text()).toContain("The first one");
    const unknown = await fetch(`${first.captured_mail_url}/messages/..%2Fsecrets.json`);
    expect([unknown.status, await unknown.json()]).toEqual([404, { detail: "Message not found" }]);
  });

  it("verifies a domain by the local DNS, but not with wrong records or when DNS fails", async ({ expect }) => {
    const [shop, wrong, failing] = await Promise.all(
      ["shop.test", "wrong-shop.test", "servfail-shop.test"].map((name) => register(first, name)),
    );
    expect(await verifyDomain(first, shop)).toMatchObject({ status: "verified", verified_at: expect.any(String) });
    const refused = await verifyDomain(first, wrong);
    expect(refused).toMatchObject({ status: "pending", verified_at: null });
    expect(new Set(refused.records.map(({ status }) => status))).toEqual(new Set(["mismatch"]));
    expect(await verifyDomain(first, failing)).toEqual(failing);
    expect(await (await fetch(first.dns_url)).text()).toContain("_svc-challenge.shop.test");
  });

  it("has the records of a domain that a new account registers", async ({ expect }) => {
    const account = { ...first, api_key: await signUp(first, "you@example.org") };
    const own = await register(account, "myshop.test");
    expect(await verifyDomain(account, own)).toMatchObject({ status: "verified" });
    expect(await (await fetch(first.dns_url)).text()).toContain("_svc-challenge.myshop.test");
  });

  it("refuses a second start on the same state directory", async ({ expect }) => {
    const second = npm(["start"], { PORT: String(port + 10) });
    const output = collect(second);
    const [code] = await once(second, "exit");
    expect(code).toBe(1);
    expect(output()).toContain("already runs");
  });

  it.runIf(isFull)("keeps the API key and the captured mail when every process gets a SIGKILL", async ({ expect }) => {
    const mails = await captured(first);
    for (const pid of await processesOnState()) kill(pid, "SIGKILL");
    await waitUntilStopped();
    await rm(localFile, { force: true });
    const again = await start();
    expect(again.api_key).toBe(first.api_key);
    expect(again.webmail).toEqual(first.webmail);
    expect((await waitUntilStatus(again, emailId, "delivered")).id).toBe(emailId);
    expect(await captured(again)).toEqual(mails);
    await send(again, "After the kill");
    expect((await waitUntilCaptured(again, mails.length + 1)).to).toEqual(["friend@example.org"]);
  });

  it("delivers as the mail systems of the local internet have it", async ({ expect }) => {
    const sent = async (to: string, status: string) => {
      const { id } = await post<{ id: string }>(first, "/emails/", 202, mailTo(first, to, "Behaviours"));
      return waitUntilStatus(first, id, status, 2);
    };
    const lastOf = ({ events }: Awaited<ReturnType<typeof sent>>) => events.at(-1);
    expect(lastOf(await sent("ann@tls-only.test", "delivered"))).toMatchObject({ event_type: "delivered" });
    const bounced = lastOf(await sent("full@example.org", "bounced"));
    expect(bounced?.metadata.response).toBe("552 5.2.2 The mailbox is full");
    expect(lastOf(await sent("ann@null-mx.test", "bounced"))?.metadata.response).toMatch(/^550 5\.1\.10 /);
    const deferred = lastOf(await sent("ann@blocked.test", "queued"));
    expect(deferred?.metadata.response).toBe("554 5.7.1 Your address is on our block list");
  });

  it("shows a bounce by npm run demo -- bounce, as often as it is run", async ({ expect }) => {
    for (let round = 0; round < byExtent({ quick: 1, full: 2, long: 2 }); round += 1) {
      const demo = npm(["run", "demo", "--", "bounce"], { PORT: String(port) });
      const output = collect(demo);
      const [code] = await once(demo, "exit");
      expect(code, output()).toBe(0);
      expect(output()).toMatch(/The suppression list has ada\.[0-9a-f]{8}@example\.org, reason bounce\./);
      expect(output()).toContain(`http://127.0.0.1:${port + 2}/view/`);
    }
  });

  it("shows a broadcast and an unsubscribe by npm run demo -- list", async ({ expect }) => {
    const demo = npm(["run", "demo", "--", "list"], { PORT: String(port) });
    const output = collect(demo);
    const [code] = await once(demo, "exit");
    expect(code, output()).toBe(0);
    expect(output()).toContain("status sent: 3 of 3 delivered");
    expect(output()).toContain("The next broadcast goes to 2 contacts and skips 1.");
  });

  it.runIf(isFull)(
    "sends mail of the day after tomorrow when npm run dev:clock moves the clock by three days",
    async ({ expect }) => {
      const send_at = new Date(Date.now() + 2 * 86_400_000).toISOString();
      const from_ = { email: first.mailbox };
      const mail = { from_, to: [{ email: "friend@example.org" }], subject: "Later", text: "Hi", send_at };
      await post(first, "/emails/", 202, mail);
      const before = (await captured(first)).length;
      const service = services.at(-1);
      const serviceOutput = service ? collect(service) : () => "";
      const clock = npm(["run", "dev:clock", "--", "+3d"], { PORT: String(port) });
      const output = collect(clock);
      expect(await once(clock, "exit"), output()).toEqual([0, null]);
      expect(Number(/is (\S+Z)\./.exec(output())?.[1]?.slice(0, 4))).toBeGreaterThan(2000);
      await expect.poll(async () => (await captured(first)).length, { timeout: 60_000 }).toBe(before + 1);
      // The mail leaves while the scheduled work still runs.
      await expect.poll(serviceOutput).toContain("The Worker was restarted.");
    },
  );

  it.runIf(isFull)("leaves no process and no open port when npm gets a SIGKILL", async ({ expect }) => {
    kill(services.at(-1)?.pid ?? 0, "SIGKILL");
    await waitUntilStopped();
    expect(await processesOnState()).toEqual([]);
    expect(await listening()).toEqual([]);
    await start();
  });

  it("says that it stops on SIGTERM, and leaves no process and no open port", async ({ expect }) => {
    const service = services.at(-1);
    const output = service ? collect(service) : () => "";
    service?.kill("SIGTERM");
    await waitUntilStopped();
    await expect.poll(processesOnState).toEqual([]);
    await expect.poll(listening).toEqual([]);
    await expect(readFile(localFile)).rejects.toThrow("ENOENT");
    await expect.poll(output).toMatch(/Stopping \.\.\.\nStopped\./);
  });
});

async function start(): Promise<Local> {
  const child = npm(["start"], { PORT: String(port) });
  const output = collect(child);
  const read = async () => {
    const text = await readFile(localFile, "utf8").catch(() => "");
    if (text === "" && child.exitCode === null) throw new Error(`npm start is not ready:\n${output()}`);
    return text;
  };
  const text = await vi.waitFor(read, { timeout: READY_MS, interval: 50 });
  if (text === "") throw new Error(`npm start ended:\n${output()}`);
  services.push(child);
  return JSON.parse(text) as Local;
}

function npm(args: string[], env: { PORT: string }): ChildProcess {
  const child = spawn("npm", args, {
    cwd: ROOT,
    detached: true,
    env: { ...process.env, ...env, STATE_DIR: stateDir },
    stdio: ["ignore", "pipe", "pipe"],
  });
  started.push(child);
  return child;
}

function collect(child: ChildProcess): () => string {
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk) => {
      text += chunk;
    });
  }
  return () => text;
}

async function send(local: Local, subject: string, fields: object = {}): Promise<string> {
  const mail = { ...mailTo(local, "friend@example.org", subject), ...fields };
  return (await post<{ id: string }>(local, "/emails/", 202, mail)).id;
}

function mailTo(local: Local, to: string, subject: string) {
  return { from_: { email: local.mailbox }, to: [{ email: to }], subject, text: "Hi" };
}

function register(local: Local, name: string): Promise<Domain> {
  return post(local, "/domains/", 201, { name });
}

function verifyDomain(local: Local, domain: Domain | undefined): Promise<Domain> {
  return post(local, `/domains/${domain?.id}/verify`, 200);
}

async function post<T>(local: Local, path: string, expected: number, body?: unknown): Promise<T> {
  const response = await fetch(`${local.base_url}${path}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${local.api_key}`, "Content-Type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (response.status !== expected) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}

interface Email {
  id: string;
  status: string;
  events: { event_type: string; metadata: Record<string, unknown> }[];
}

/** Waits until an email has a status and at least so many events. */
async function waitUntilStatus(local: Local, id: string, status: string, events = 1) {
  const headers = { Authorization: `Bearer ${local.api_key}` };
  const read = async () => {
    const detail = (await (await fetch(`${local.base_url}/emails/${id}`, { headers })).json()) as Email;
    if (detail.status === status && detail.events.length >= events) return detail;
    throw new Error(`the status of the email is ${detail.status}, not ${status}`);
  };
  return vi.waitFor(read, WAIT);
}

/** Waits until so many mails are captured. Returns the newest. */
function waitUntilCaptured(local: Local, count: number): Promise<Captured> {
  const read = async () => {
    const [newest, ...rest] = await captured(local);
    if (newest && rest.length + 1 === count) return newest;
    throw new Error(`the number of captured mails is not ${count}`);
  };
  return vi.waitFor(read, WAIT);
}

/** Returns the result of each DKIM signature. The public keys come from seed.json, and from the DNS of the service. */
async function verify(local: Local, message: Buffer): Promise<string[]> {
  const seed = JSON.parse(await readFile(path.join(stateDir, "seed.json"), "utf8")) as Seeded;
  const resolver = async (name: string) => {
    const key = seed.dkim.find(({ selector }) => name === `${selector}._domainkey.${seed.domain}`);
    if (key) return [[key.record]];
    const found = await lookUpTxt(local.dns_url, name);
    if (found.length > 0) return found.map((record) => [record]);
    throw Object.assign(new Error(`no such name: ${name}`), { code: "ENOTFOUND" });
  };
  const { results } = await dkimVerify(message, { resolver });
  return results.map((result: { status: { result: string } }) => result.status.result);
}

/** Returns the processes whose environment names this state directory: npm and all its descendants. */
async function processesOnState(): Promise<number[]> {
  const pids = (await readdir("/proc")).map(Number).filter((pid) => pid > 1 && pid !== process.pid);
  const marked = await Promise.all(
    pids.map((pid) =>
      readFile(`/proc/${pid}/environ`, "utf8").then(
        (text) => text.includes(stateDir),
        () => false,
      ),
    ),
  );
  return pids.filter((_, index) => marked[index]);
}

async function waitUntilStopped() {
  const check = async () => {
    const left = [await processesOnState(), await listening()];
    if (left.flat().length > 0) throw new Error(`processes and ports are left: ${JSON.stringify(left)}`);
  };
  await vi.waitFor(check, WAIT);
}

async function listening(): Promise<number[]> {
  const ports = [port, port + 1, port + 2, port + 3];
  const open = await Promise.all(
    ports.map(async (each) => {
      const socket = net.connect(each, "127.0.0.1");
      const received = await Promise.race([
        once(socket, "connect").then(() => true),
        once(socket, "error").then(() => false),
      ]).catch(() => false);
      socket.destroy();
      return received;
    }),
  );
  return ports.filter((_, index) => open[index]);
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals) {
  if (child.pid) kill(-child.pid, signal);
}

function kill(pid: number, signal: NodeJS.Signals) {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has already exited.
  }
}
