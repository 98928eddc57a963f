/** A deployment with some of everything, and the commands that save and restore it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ROOT } from "../../../dev/layout.ts";
import type { Seeded } from "../../../dev/seed-workspace.ts";
import { callerOf } from "./call-api.ts";
import type { RestartableHost } from "./restartable-host.ts";
import { newAttempt, type SendAttempt, send } from "./sending-client.ts";

export const MASTER_KEYS = `1:${Buffer.alloc(32, 7).toString("base64")}`;
const DAY_MS = 86_400_000;
const POLL_MS = 10;
/** Pause between two emails that are sent beside a backup. Without one the emails would take all CPU and fill the backup. */
const SEND_EVERY_MS = 50;
/** Least emails that are sent beside a backup. */
const LEAST_SENT = 6;

/** How a command ended. */
export interface CommandResult {
  code: number | null;
  signal: NodeJS.Signals | null;
  output: string;
}

/** Runs a command of dev/ against a deployment with these master keys. Kills it with SIGKILL as soon as `isKillTime` of its output is true. */
export async function runCommand(
  name: string,
  args: string[],
  isKillTime: ((output: string) => Promise<boolean>) | null = null,
  masterKeys = MASTER_KEYS,
): Promise<CommandResult> {
  const child = spawn(process.execPath, [path.join(ROOT, "dev", `${name}.ts`), ...args], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, MASTER_KEYS: masterKeys },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  const ended = once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>;
  let isRunning = true;
  void ended.then(() => {
    isRunning = false;
  });
  while (isKillTime && isRunning) {
    if (await isKillTime(output)) child.kill("SIGKILL");
    await Promise.race([ended, sleep(POLL_MS)]);
  }
  const [code, signal] = await ended;
  return { code, signal, output };
}

/** Calls the API as JSON. Throws unless the response is 2xx. */
export const call = <Out>(
  host: RestartableHost,
  apiKey: string,
  [method, target]: readonly [string, string],
  body?: object,
): Promise<Out> => callerOf(() => host.url(), apiKey)<Out>(method, target, body);

/** The content of a filled deployment. */
export interface Filled {
  /** Paths whose responses must be equal after a restore, with the API key. */
  reads: { apiKey: string; path: string }[];
  /** Accepted emails of which none was sent. */
  scheduled: { id: string; subject: string; apiKey: string }[];
  sent: SendAttempt[];
}

/** Begins the transfer of a domain to the owner of another workspace. Adds the paths that show it. */
export async function transfer(
  host: RestartableHost,
  filled: Filled,
  [seed, buyer]: readonly [Seeded, Seeded],
): Promise<void> {
  const body = { target_email: `owner@${buyer.domain}` };
  await call(host, seed.apiKey, ["POST", `/v1/domains/${seed.domainId}/transfer`], body);
  const path = "/v1/domain-transfers/outgoing";
  filled.reads.push({ apiKey: seed.apiKey, path }, { apiKey: seed.apiKey, path: `/v1/domains/${seed.domainId}` });
}

/** Fills workspaces through the API: emails, contacts, templates, webhooks, mailboxes with messages, API keys. */
export async function fill(host: RestartableHost, seeds: readonly Seeded[], webhookUrl: string): Promise<Filled> {
  const filled: Filled = { reads: [], scheduled: [], sent: [] };
  for (const [index, seed] of seeds.entries()) {
    const post = <Out>(target: string, body: object) => call<Out>(host, seed.apiKey, ["POST", target], body);
    await post("/v1/webhooks/", { url: webhookUrl, events: ["email.sent", "email.delivered"] });
    for (let n = 0; n < 6; n++) {
      const mail = newAttempt(index * 100 + n, seed);
      await send(host, mail);
      filled.sent.push(mail);
    }
    for (let n = 0; n < 3; n++) {
      const subject = `Scheduled ${index}-${n}`;
      const mail = {
        from_: { email: seed.mailbox },
        to: [{ email: `s${index}${n}@example.org` }],
        subject,
        text: "Later.",
      };
      const send_at = new Date(Date.now() + DAY_MS).toISOString();
      const { id } = await post<{ id: string }>("/v1/emails/", { ...mail, send_at });
      filled.scheduled.push({ id, subject, apiKey: seed.apiKey });
    }
    const list = await post<{ id: string }>("/v1/contacts/", { name: "Readers" });
    for (const name of ["Ann", "Ünal\u2028"])
      await post(`/v1/contacts/${list.id}/contacts`, {
        email: `${index}${encodeURIComponent(name).length}@example.org`,
        name,
      });
    const template = await post<{ id: string }>("/v1/templates/", {
      ...{ name: "Large", subject: "Hi {{name}}", text_body: "x" },
      html_body: `<p>"${"é\n".repeat(100_000)}"</p>`,
    });
    const key = await post<{ key: string }>("/v1/api-keys/", { name: "Second", scopes: ["emails:view"] });
    await fillMailbox(host, seed);
    const inbox = `/v1/inbox/${seed.mailboxId}`;
    const paths = [
      ...["/v1/contacts/", `/v1/contacts/${list.id}`, `/v1/templates/${template.id}`, "/v1/domains/", "/v1/webhooks/"],
      ...["/v1/suppressions/", `${inbox}/folders`, `${inbox}/labels`],
      ...[`${inbox}/messages?folder=Drafts`, `${inbox}/messages?folder=Bills`, `${inbox}/search?q=text`],
    ];
    filled.reads.push(...paths.map((target) => ({ apiKey: seed.apiKey, path: target })));
    filled.reads.push({ apiKey: key.key, path: `/v1/emails/${[...(filled.sent.at(-1)?.ids ?? [])][0]}` });
  }
  return filled;
}

/** Puts messages into a mailbox: with flags, labels, in another folder, and with numbers that are not used again. */
async function fillMailbox(host: RestartableHost, { apiKey, mailboxId }: Seeded): Promise<void> {
  const on = <Out>(method: string, suffix: string, body?: object) =>
    call<Out>(host, apiKey, [method, `/v1/inbox/${mailboxId}${suffix}`], body);
  await on("POST", "/folders", { name: "Bills" });
  const label = await on<{ id: string }>("POST", "/labels", { name: "Paid", color: "#c0392b" });
  for (let n = 1; n <= 4; n++)
    await on("POST", "/drafts", { to: ["friend@example.org"], subject: `Draft ${n}`, text: `The text of draft ${n}` });
  await on("PUT", "/messages/2/labels?folder=Drafts", { label_ids: [label.id] });
  await on("POST", "/messages/2/flags?folder=Drafts", { flagged: true });
  await on("POST", "/messages/3/move?folder=Drafts", { folder: "Bills" });
  await on("DELETE", "/drafts/4");
}

/** Sends emails one after the other until it is stopped. Returns a function that stops it and returns what was accepted. */
export function sendOn(host: RestartableHost, seeds: readonly Seeded[]): () => Promise<SendAttempt[]> {
  let isRunning = true;
  const sent: SendAttempt[] = [];
  const run = async () => {
    for (let n = 1_000; isRunning || sent.length < LEAST_SENT; n++) {
      const [first, second] = seeds;
      const seed = n % 2 === 0 ? first : second;
      if (!seed) throw new Error("there are no workspaces");
      const mail = newAttempt(n, seed);
      await send(host, mail);
      sent.push(mail);
      await sleep(SEND_EVERY_MS);
    }
    return sent;
  };
  const running = run();
  running.catch(() => {});
  return () => {
    isRunning = false;
    return running;
  };
}
