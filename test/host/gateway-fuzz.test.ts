/**
 * Random commands of IMAP and SMTP against the program of the mail gateway, with a real Worker behind it: each gets a well-formed response.
 * `npm run test:long` runs the full counts; FUZZ_SEED=… repeats a run.
 */
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { withTimeout } from "../../src/lib/deadline.ts";
import { seeded } from "../support/failures.ts";
import { byExtent } from "./support/extent.ts";
import { certificateFiles, type GatewayRig, startRig } from "./support/gateway-rig.ts";
import { aCommand as anImapCommand } from "./support/imap/fuzz.ts";
import { checkResponse, ImapFuzzSession } from "./support/imap/fuzz-session.ts";
import { ImapClient } from "./support/imap-client.ts";
import { type GatewayProcess, startGatewayProcess } from "./support/programs/gateway-process.ts";
import type { LogLine } from "./support/programs/program.ts";
import { GATEWAY_SECRET, sharedService } from "./support/shared-service.ts";
import { SmtpClient } from "./support/smtp-client.ts";
import { inPieces, aCommand as smtpCommand } from "./support/smtp-fuzz.ts";
import { checkReply, SmtpFuzzSession } from "./support/smtp-fuzz-session.ts";
import { perSuite, temporaryFolder } from "./support/suite.ts";

const commands = Number(process.env.FUZZ_COMMANDS ?? byExtent({ quick: 300, full: 1_000, long: 10_000 }));
const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 1e9));
const timeout = byExtent({ quick: 120_000, full: 600_000, long: 3_600_000 });
const DOMAIN = "fuzzed.test";
const PASSWORD = "correct horse battery staple";
/** Commands of a session at most, and sessions at once. */
const PER_SESSION = 20;
const AT_ONCE = 10;
/** A command that has no response after this time hangs, in ms. The gateway itself waits a minute for the Worker. */
const HANGS_MS = 90_000;
/**
 * The heap is limited, so that one that grows ends the process. The resident memory may grow by as much, which V8 may fill before it collects
 * garbage: 41 MB were measured. The buffers of ten sessions have 7 MB: 64 KB of a command, 64 KB that wait, 256 KB of responses and 256 KB
 * of a message each.
 */
const NODE_OPTIONS = "--max-old-space-size=96 --max-semi-space-size=8";
const MAX_GROWTH_MB = 96;

type Random = () => number;
const below = (random: Random, end: number) => Math.floor(random() * end);
const pick = <Item>(random: Random, items: readonly Item[]): Item => items[below(random, items.length)] as Item;

const rig = perSuite(() => startRig(DOMAIN));
const folder = temporaryFolder();
let gateway: GatewayProcess;
let caFile: string;
let good: Pick<GatewayRig, "ports" | "caFile" | "login">;
let exitCode: number | null | undefined;
let megabytesAtStart = 0;
const faults: LogLine[] = [];

/** Errors in the log of connections that clients break. */
const BROKEN_BY_CLIENT = /ECONNRESET|EPIPE|ECONNABORTED|SSL routines|TLS|before the message was received in full/;

beforeAll(async () => {
  const files = await certificateFiles(folder);
  const { dnsPort } = await sharedService();
  gateway = await startGatewayProcess(
    {
      ...files.variables,
      GATEWAY_SECRET,
      WORKER_URL: rig.host.url,
      DNS_RESOLVER_URL: `http://127.0.0.1:${dnsPort}/dns-query`,
      IMAP_PORTS: "0",
      IMAP_TLS_PORTS: "0",
      HEALTH_PORT: "0",
      LIMIT_CONNECTIONS_PER_IP: "1000",
      LIMIT_CONNECTIONS_PER_MINUTE: "1000000",
      // Longer than the test may take: a busy machine must not end a session.
      LIMIT_LOGIN_MS: "3600000",
      LIMIT_IDLE_MS: "3600000",
      NODE_OPTIONS,
    },
    { hasAllRoles: true },
  );
  void gateway.exited.then((code) => {
    exitCode = code;
  });
  gateway.watchLog((line) => {
    const isFault = /^(?:error\.uncaught|imap\.failed|imap\.check\.failed|worker\.failed)$/.test(line.event);
    const isOfUs = line.event === "connection.failed" && !BROKEN_BY_CLIENT.test(String(line.error));
    if (isFault || isOfUs) faults.push(line);
  });
  caFile = files.authorityFile;
  good = { caFile, login: rig.login, ports: { ...gateway.ports, health: 0 } };
  await rig.api("PUT", `/v1/mailboxes/${rig.seed.mailboxId}/password`, { password: PASSWORD });
  await useNormally();
  megabytesAtStart = await megabytes();
}, 120_000);
afterAll(async () => {
  await gateway?.stop();
});

/** Reads, appends and submits as a mail program does. */
async function useNormally(): Promise<void> {
  const imap = await loggedIn();
  expect((await imap.command("SELECT INBOX")).at(-1)).toMatch(/^OK \[READ-WRITE\]/);
  const appended = (await imap.command("APPEND INBOX {17+}\r\nSubject: x\r\n\r\nabc")).at(-1);
  const [, uid] = /^OK \[APPENDUID \d+ (\d+)\]/.exec(appended ?? "") ?? [];
  expect((await imap.command(`UID FETCH ${uid} BODY.PEEK[TEXT]`))[0]).toContain("BODY[TEXT] {3}\r\nabc");
  expect((await imap.command("LOGOUT")).at(-1)).toMatch(/^OK /);
  const smtp = await SmtpClient.loggedIn(good);
  await smtp.begin(rig.seed.mailbox, "a@example.org");
  smtp.write(`From: ${rig.seed.mailbox}\r\nSubject: normal\r\n\r\nx\r\n.\r\n`);
  expect(await smtp.reply()).toMatch(/^250 2\.\d\.\d Queued as /);
  expect(await smtp.command("QUIT")).toMatch(/^221 /);
}

const connect = async (isImplicitTls = true) => {
  const port = gateway.imapPorts[isImplicitTls ? 1 : 0] ?? 0;
  return (await ImapClient.connect({ port, caFile, isImplicitTls })).client;
};

async function loggedIn(): Promise<ImapClient> {
  const client = await connect();
  expect((await client.command(`LOGIN ${rig.seed.mailbox} "${PASSWORD}"`)).at(-1)).toMatch(/^OK \[CAPABILITY /);
  return client;
}

async function connectSmtp(kind: "mx" | "starttls" | "implicit" | "login"): Promise<SmtpClient> {
  if (kind === "login") return SmtpClient.loggedIn(good);
  return SmtpClient.connect(gateway.ports[kind], kind === "implicit" ? { ca: caFile } : {});
}

/** Runs sessions, some at once, each with numbers of its own, until all commands have been sent. A session returns how many it took. */
async function runSessions<Client extends { end(): void }>(
  open: (random: Random) => Promise<Client>,
  run: (client: Client, random: Random, watched: Watched) => Promise<number>,
): Promise<void> {
  let [begun, sent] = [0, 0];
  const worker = async () => {
    while (sent < commands && exitCode === undefined) {
      const index = begun++;
      const last: string[] = [];
      const watched: Watched = async (text, work) => {
        last.push(...last.splice(0).slice(-2), text);
        const where = `session ${index} of seed ${seed}: ${last.map(shortened).join(", then ")}`;
        const hangs = () => new Error(`hangs in ${where}`);
        return withTimeout(HANGS_MS, work, hangs).catch((error: unknown) => {
          const program = `the program logs ${JSON.stringify(faults.slice(0, 5))} and ${exitCode === undefined ? "runs" : `has exited with ${exitCode}`}`;
          throw new Error(`${error instanceof Error ? error.message : error} in ${where}; ${program}`, {
            cause: error,
          });
        });
      };
      const random = seeded(seed + index);
      const client = await open(random);
      sent += await run(client, random, watched).finally(() => client.end());
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** Returns a text with long lines cut, as it is printed. */
const shortened = (text: string) =>
  JSON.stringify(
    text
      .split("\r\n")
      .map((line) => (line.length < 200 ? line : `${line.slice(0, 100)}… (${line.length}) …${line.slice(-60)}`))
      .join("\r\n"),
  );

/** Returns the result of work on a text. Throws an error that names the text when it fails or hangs. */
type Watched = <Result>(text: string, work: Promise<Result>) => Promise<Result>;

async function checkProgram(): Promise<void> {
  const health = async () => {
    const response = await fetch(`http://127.0.0.1:${gateway.healthPort}/health`);
    return (await response.json()) as { connections: number };
  };
  await expect.poll(async () => (await health()).connections).toBe(0);
  await useNormally();
  expect(faults.slice(0, 5)).toEqual([]);
  expect(exitCode).toBeUndefined();
  const growth = (await megabytes()) - megabytesAtStart;
  console.log(`${commands} commands: ${megabytesAtStart.toFixed(0)} MB and ${growth.toFixed(0)} MB more, seed ${seed}`);
  expect(growth).toBeLessThan(MAX_GROWTH_MB);
}

/** Returns the resident memory of the program. */
async function megabytes(): Promise<number> {
  const status = await readFile(`/proc/${gateway.pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}

/** Lines without a literal that have one completion each. */
const isPlainImap = (line: string) =>
  /^f\d+ [\x20-\x7a\x7e]{1,900}$/.test(line) && !/IDLE|AUTH|LOG|STARTTLS/i.test(line);
const isPlainSmtp = (line: string) => !/^(?:DATA|AUTH|STARTTLS|QUIT)/i.test(line);

it(`${commands} random commands of IMAP each get a completion, and end nothing (seed ${seed})`, {
  timeout,
}, async () => {
  const open = (random: Random) => (random() < 0.75 ? loggedIn() : connect(random() < 0.5));
  await runSessions(open, async (client, random, watched) => {
    if (random() < 0.15) {
      const count = await sendBlindly(client, anImapCommand, random, watched);
      if (client.isClosed) for await (const line of client.left()) checkResponse(line);
      return count;
    }
    const session = new ImapFuzzSession(client);
    if (random() < 0.8) await session.send("s SELECT INBOX\r\n");
    let count = 0;
    while (count < PER_SESSION && !session.hasEnded) {
      const texts = Array.from({ length: random() < 0.2 ? 5 : 1 }, () => anImapCommand(random));
      count += texts.length;
      const lines = texts.map((text) => text.slice(0, -2)).filter(isPlainImap);
      const text = texts.join("");
      await watched(text, lines.length === 5 ? session.pipeline(lines) : session.send(text));
    }
    return count;
  });
  await checkProgram();
});

it(`${commands} random commands of SMTP each get a reply, and end nothing (seed ${seed})`, { timeout }, async () => {
  const aCommand = (random: Random) => smtpCommand(random).replaceAll("gateway.test", DOMAIN);
  const open = (random: Random) =>
    connectSmtp(pick(random, ["mx", "starttls", "starttls", "implicit", "login", "login", "login", "login"]));
  await runSessions(open, async (client, random, watched) => {
    if (random() < 0.15) {
      const count = await sendBlindly(client, aCommand, random, watched);
      for (const line of client.unread.split("\r\n").slice(0, -1)) checkReply(line.replace(/^(\d{3})-/, "$1 "));
      return count;
    }
    const session = new SmtpFuzzSession(client, caFile);
    let count = 0;
    while (count < PER_SESSION && !session.hasEnded) {
      const texts = Array.from({ length: random() < 0.2 ? 5 : 1 }, () => aCommand(random));
      count += texts.length;
      const text = texts.join("");
      const lines = text.split("\r\n").slice(0, -1);
      const isPipelined = texts.length > 1 && lines.every(isPlainSmtp);
      if (random() < 0.05) await watched(text, session.inject(lines[0] ?? ""));
      else await watched(text, isPipelined ? session.pipeline(lines) : session.send(text));
    }
    return count;
  });
  await checkProgram();
});

/** Sends commands without a look at the responses, in pieces, and cuts the connection anywhere. What was received must be well-formed. */
async function sendBlindly(
  client: ImapClient | SmtpClient,
  aCommand: (random: Random) => string,
  random: Random,
  watched: Watched,
): Promise<number> {
  const count = 1 + below(random, PER_SESSION);
  const text = Array.from({ length: count }, () => aCommand(random)).join("");
  const bytes = Buffer.from(text.slice(0, below(random, 2 * text.length)), "latin1");
  for (const piece of inPieces(bytes, random)) client.write(piece);
  if (random() < 0.5) {
    client.end();
    return count;
  }
  client.halfClose();
  await watched(text, client.closed());
  return count;
}
