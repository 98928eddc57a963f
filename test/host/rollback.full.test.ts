/**
 * The version that was released last runs on the state that the new one has left (docs/operating/upgrades.md#roll-back). Skipped in
 * a checkout without the history of that version.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { findTestPort } from "./support/ports.ts";
import { hasReleased, released, writeReleased } from "./support/released.ts";

const ROOT = path.join(import.meta.dirname, "../..");
const { version } = released;

/** The calls that may be a 500 of a released version for rows of the new one, as the document says. */
const UNREADABLE: Readonly<Record<string, readonly string[]>> = {
  "0.1.0": ["GET /emails/{delivered}", "GET /emails/{delivered}/events"],
};

/** The calls that are a 404 of a released version for rows of the new one, as the document says. */
const UNKNOWN: Readonly<Record<string, readonly string[]>> = {
  "0.2.0": ["POST /emails/scheduled/{scheduled}/send-now"],
};

const folder = await mkdtemp(path.join(tmpdir(), "email-delivery-rollback-"));
const stateDir = path.join(folder, "state");
const localFile = path.join(stateDir, "local.json");
const port = await findTestPort();
const running: ChildProcess[] = [];

interface Local {
  base_url: string;
  api_key: string;
  mailbox: string;
}

afterAll(async () => {
  for (const child of running) await stop(child);
  await rm(folder, { recursive: true, force: true });
});

/** Runs `npm start` of the source in a folder on the state, without installing packages. */
async function start(source: string): Promise<{ child: ChildProcess; local: Local }> {
  await rm(localFile, { force: true });
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", "dev/start.ts"], {
    cwd: source,
    env: {
      ...process.env,
      PATH: `${ROOT}/node_modules/.bin:${process.env.PATH}`,
      PORT: String(port),
      STATE_DIR: stateDir,
    },
    stdio: "ignore",
  });
  running.push(child);
  for (const deadline = Date.now() + 120_000; Date.now() < deadline; await sleep(200)) {
    const text = await readFile(localFile, "utf8").catch(() => "");
    if (text) return { child, local: JSON.parse(text) as Local };
    if (child.exitCode !== null) break;
  }
  throw new Error(`npm start of ${source} was not ready`);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await exited;
}

async function call(local: Local, method: string, route: string, body?: unknown) {
  const response = await fetch(local.base_url + route, {
    method,
    headers: { Authorization: `Bearer ${local.api_key}`, "Content-Type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json().catch(() => null)) as never };
}

describe.runIf(hasReleased)(`version ${version} after a rollback`, () => {
  it("reads, sends and retries, except for what the document says", { timeout: 300_000 }, async () => {
    const { child, local } = await start(ROOT);
    const mail = (to: string, more: object = {}) => ({
      ...{ from_: { email: local.mailbox }, to: [{ email: to }], subject: "Before", text: "Hi", ...more },
    });
    const send = async (to: string, more?: object) =>
      (await call(local, "POST", "/emails/", mail(to, more))).body as { id: string };
    const send_at = new Date(Date.now() + 3_600_000).toISOString();
    const sent = {
      delivered: await send("friend@example.org"),
      bounced: await send("bounce@example.org"),
      deferred: await send("defer@example.org"),
      scheduled: await send("friend@example.org", { send_at }),
    };
    const statusOf = async ({ id }: { id: string }) =>
      ((await call(local, "GET", `/emails/${id}`)).body as { status: string }).status;
    await expect.poll(() => statusOf(sent.delivered), { timeout: 30_000 }).toBe("delivered");
    await expect.poll(() => statusOf(sent.bounced), { timeout: 30_000 }).toBe("bounced");
    await stop(child);

    const source = path.join(folder, "released");
    await writeReleased(source);
    const old = await start(source);
    const failing: string[] = [];
    const ask = async (method: string, route: string, body?: unknown) => {
      const named = (name: string) => sent[name as keyof typeof sent].id;
      const { status } = await call(
        old.local,
        method,
        route.replace(/\{(\w+)\}/g, (_, name) => named(name)),
        body,
      );
      if (status >= 500) failing.push(`${method} ${route}`);
      else if (UNKNOWN[version]?.includes(`${method} ${route}`)) expect(status, route).toBe(404);
      else expect(status, `${method} ${route}`).toBeLessThan(300);
    };
    for (const name of Object.keys(sent)) {
      await ask("GET", `/emails/{${name}}`);
      await ask("GET", `/emails/{${name}}/events`);
    }
    for (const route of [
      "/emails/",
      "/emails/scheduled",
      "/emails/search?q=before",
      "/emails/updates?since=2026-01-01T00:00:00Z",
    ])
      await ask("GET", route);
    for (const route of [
      "/contacts/",
      "/broadcasts/",
      "/templates/",
      "/mailboxes/",
      "/domains/",
      "/suppressions/",
      "/me",
    ])
      await ask("GET", route);
    await ask("POST", "/emails/", mail("friend@example.org"));
    await ask("POST", "/emails/{bounced}/retry");
    await ask("POST", "/emails/scheduled/{scheduled}/send-now");
    // An event whose id was made in the next millisecond is stored in its long form, which every version reads.
    expect(UNREADABLE[version] ?? []).toEqual(expect.arrayContaining(failing));
    await stop(old.child);

    const again = await start(ROOT);
    expect((await call(again.local, "GET", `/emails/${sent.delivered.id}/events`)).status).toBe(200);
    expect((await call(again.local, "POST", `/emails/scheduled/${sent.scheduled.id}/send-now`)).status).toBeLessThan(
      300,
    );
  });
});
