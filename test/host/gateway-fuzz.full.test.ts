/**
 * Random commands and slow clients against the mail gateway, which runs in a process of its own. `npm run test:long` runs the
 * full counts; FUZZ_SEED=… repeats a run.
 */
import { readFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { seeded } from "../support/failures.ts";
import { byExtent } from "./support/extent.ts";
import { certificateFiles, type GatewayRig, startRig } from "./support/gateway-rig.ts";
import { type GatewayProcess, startGatewayProcess } from "./support/programs/gateway-process.ts";
import { GATEWAY_SECRET } from "./support/shared-service.ts";
import { SmtpClient } from "./support/smtp-client.ts";
import { aCommand, inPieces } from "./support/smtp-fuzz.ts";
import { perSuite } from "./support/suite.ts";

const { commands, slowClients, slowMs } = byExtent({
  quick: { commands: 1_000, slowClients: 10, slowMs: 2_000 },
  full: { commands: 3_000, slowClients: 20, slowMs: 2_000 },
  long: { commands: 100_000, slowClients: 200, slowMs: 60_000 },
});
const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 1e9));
const PER_CONNECTION = 20;
const CONNECTIONS = 10;
/** Ends whatever state a connection is in: a message, a login, a command. */
const LAST = "\r\n.\r\n*\r\nRSET\r\nQUIT\r\n";
/** A fuzzed client that waits this long for a reply gives up, in ms. */
const GIVE_UP_MS = 1_000;
const MAX_MEGABYTES = 300;

const rig = perSuite(() => startRig("gateway.test"));
let gateway: GatewayProcess;
let exitCode: number | null | undefined;
let good: { caFile: string; login: GatewayRig["login"]; ports: GatewayRig["ports"] };

beforeAll(async () => {
  const { authorityFile, variables } = await certificateFiles(path.join(rig.stateDir, "fuzz"));
  gateway = await startGatewayProcess(
    {
      ...variables,
      GATEWAY_SECRET,
      WORKER_URL: rig.host.url,
      LIMIT_CONNECTIONS_PER_IP: "1000",
      LIMIT_CONNECTIONS_PER_MINUTE: "1000000",
    },
    { hasAllRoles: true },
  );
  void gateway.exited.then((code) => {
    exitCode = code;
  });
  good = { caFile: authorityFile, login: rig.login, ports: { ...gateway.ports, health: 0 } };
});
afterAll(async () => {
  await gateway?.stop();
});

/** Submits messages on a connection of its own until the work is over. Returns the longest time of one in ms, and their number. */
async function submitMeanwhile(work: Promise<unknown>): Promise<{ longestMs: number; count: number }> {
  let isOver = false;
  void work
    .catch(() => {})
    .finally(() => {
      isOver = true;
    });
  const client = await SmtpClient.loggedIn(good);
  let longestMs = 0;
  let count = 0;
  do {
    const start = performance.now();
    await client.begin(rig.seed.mailbox, "a@example.org");
    client.write(`From: ${rig.seed.mailbox}\r\nSubject: Meanwhile ${count}\r\n\r\nx\r\n.\r\n`);
    expect(await client.reply()).toMatch(/^250 2\.\d\.\d Queued as /);
    longestMs = Math.max(longestMs, performance.now() - start);
    count += 1;
    await sleep(50);
  } while (!isOver);
  client.end();
  return { longestMs, count };
}

async function countEmails(): Promise<number> {
  const results = await rig.sql<{ n: number }>("SELECT count(*) AS n FROM emails");
  return results.reduce((sum, { n }) => sum + n, 0);
}

async function megabytes(): Promise<number> {
  const status = await readFile(`/proc/${gateway.pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}

/** Sends commands on a connection and reads until the server closes it, or until it gives up. */
async function fuzzOnce(random: () => number): Promise<{ received: string; gaveUp: boolean }> {
  const kind = Math.floor(random() * 6);
  const { ports, caFile } = good;
  const client =
    kind === 0
      ? await SmtpClient.connect(ports.starttls)
      : kind === 1
        ? await SmtpClient.connect(ports.implicit, { ca: caFile })
        : kind === 2
          ? await SmtpClient.connect(ports.mx)
          : await SmtpClient.loggedIn(good);
  const lines = Array.from({ length: PER_CONNECTION }, () => aCommand(random));
  for (const piece of inPieces(Buffer.from(lines.join("") + LAST, "latin1"), random)) {
    client.write(piece);
    if (random() < 0.2) await sleep(0);
  }
  await Promise.race([client.closed(), sleep(GIVE_UP_MS)]);
  const gaveUp = !client.isClosed;
  client.end();
  return { received: client.unread, gaveUp };
}

it(`${commands} random commands crash nothing, get replies of SMTP only, and others are served meanwhile (seed ${seed})`, {
  timeout: byExtent({ quick: 120_000, full: 600_000, long: 3_600_000 }),
}, async () => {
  const before = await countEmails();
  let left = commands;
  let queued = 0;
  let abandoned = 0;
  let replies = 0;
  const work = Promise.all(
    Array.from({ length: CONNECTIONS }, async (_, index) => {
      const random = seeded(seed + index);
      while (left > 0 && exitCode === undefined) {
        left -= PER_CONNECTION;
        const { received, gaveUp } = await fuzzOnce(random);
        if (gaveUp) abandoned += 1;
        queued += received.match(/Queued as/g)?.length ?? 0;
        for (const line of received.split("\r\n").slice(0, -1)) {
          replies += 1;
          expect(line).toMatch(/^[2-5]\d\d[ -][\x20-\x7e]*$/);
          expect(line).not.toMatch(/internal server error|undefined|TypeError|\bat \S+:\d+/);
        }
      }
    }),
  );
  const meanwhile = await submitMeanwhile(work);
  await work;
  const memory = await megabytes();
  console.log(
    `fuzz: ${commands} commands, ${replies} replies, ${queued} accepted, longest of ${meanwhile.count} messages meanwhile ${meanwhile.longestMs.toFixed(0)} ms, ${memory.toFixed(0)} MB, seed ${seed}`,
  );
  expect(exitCode).toBeUndefined();
  // A message of a client that gave up may have been accepted after that.
  const known = before + meanwhile.count + queued;
  const stored = await countEmails();
  expect(stored).toBeGreaterThanOrEqual(known);
  expect(stored).toBeLessThanOrEqual(known + abandoned);
  expect(memory).toBeLessThan(MAX_MEGABYTES);
  expect(replies).toBeGreaterThan(commands / 4);
  expect(queued).toBeGreaterThan(commands / 1_000);
});

it(`${slowClients} clients that send a byte a second do not keep others from being served`, {
  timeout: 300_000,
}, async () => {
  const clients = await Promise.all(
    Array.from({ length: slowClients }, (_, index) =>
      SmtpClient.connect(index % 2 === 0 ? gateway.ports.starttls : gateway.ports.mx),
    ),
  );
  const timers = clients.map((client, index) => {
    let at = index;
    return setInterval(() => client.write("EHLO slow.example\r\nMAIL FROM:<"[at++ % 31] ?? "\r\n"), 1_000);
  });
  const { longestMs, count } = await submitMeanwhile(sleep(slowMs));
  for (const timer of timers) clearInterval(timer);
  for (const client of clients) client.end();
  console.log(`fuzz: ${slowClients} slow clients, longest of ${count} messages meanwhile ${longestMs.toFixed(0)} ms`);
  expect(exitCode).toBeUndefined();
  expect(count).toBeGreaterThan(2);
  expect(longestMs).toBeLessThan(5_000);
});
