/**
 * Random commands of IMAP against the gateway, which runs in a process of its own. `npm run test:long` runs the full counts;
 * FUZZ_SEED=… repeats a run.
 */
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, it } from "vitest";
import { median, percentile } from "../../bench/table.ts";
import { seeded } from "../support/failures.ts";
import { byExtent } from "./support/extent.ts";
import { aCommand } from "./support/imap/fuzz.ts";
import { startImapSite } from "./support/imap/site.ts";
import { ImapClient } from "./support/imap-client.ts";
import { inPieces } from "./support/smtp-fuzz.ts";
import { perSuite } from "./support/suite.ts";

const commands = Number(process.env.FUZZ_COMMANDS ?? byExtent({ quick: 1_000, full: 5_000, long: 100_000 }));
const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 1e9));
const PER_CONNECTION = 20;
const CONNECTIONS = 8;
/** Ends whatever state a connection is in: IDLE, a login, a command. */
const LAST = "\r\nDONE\r\n*\r\nz LOGOUT\r\n";
const GIVE_UP_MS = 3_000;
/** Connections of a round: as many with ordinary commands as with random ones, so that their times are compared at one load of the machine. */
const ROUND = 50;
const ORDINARY_COMMANDS = [
  "NOOP",
  "SELECT INBOX",
  "UID FETCH 1:* (FLAGS ENVELOPE)",
  "UID SEARCH TEXT fuzz",
  "STATUS Sent (MESSAGES)",
];
/** Of so many ordinary connections one has a wrong password, about as many as of the random ones: scrypt takes the Worker a fifth of a second. */
const WRONG_PASSWORD_EACH = 20;
/** The 99 % of the times, in ms, and on a busy machine against that beside ordinary commands. */
const NOOP_MS = 300;
const NOOP_RATIO = 3;
const MAX_MEGABYTES = 300;
const FOREIGN = "secret-of-another-mailbox";

const site = perSuite(() => startImapSite("other.test"));

beforeAll(async () => {
  await site.receive(FOREIGN, site.others[0]);
});
/** Returns the times of NOOP in ms, one after the other, until `isOver`. */
async function timeNoops(isOver: () => boolean): Promise<number[]> {
  const client = await site.loggedIn("Sent");
  const times: number[] = [];
  do {
    const start = performance.now();
    expect((await client.command("NOOP")).at(-1)).toBe("OK NOOP is complete");
    times.push(performance.now() - start);
    await sleep(20);
  } while (!isOver());
  client.end();
  return times;
}

/** Sends ordinary commands on a connection, few, so that logins are as large a part of the work as with random ones. */
async function useOnce(n: number): Promise<void> {
  if (n % WRONG_PASSWORD_EACH === 0) return mistype();
  const client = await site.loggedIn("INBOX");
  for (const command of ORDINARY_COMMANDS) await client.command(command);
  client.end();
}

let mistyped = 0;

/** Logs in with a wrong password. The addresses differ, because wrong passwords of one address are limited. */
async function mistype(): Promise<void> {
  mistyped += 1;
  const { client } = await ImapClient.connect(site.login);
  expect((await client.command(`LOGIN person${mistyped}@gateway.test wrong`)).at(-1)).toMatch(
    /^NO \[AUTHENTICATIONFAILED\]/,
  );
  client.end();
}

/** Runs `use` on several connections at once, `count` times in all. Returns the times of NOOP of another client meanwhile, in ms. */
async function timeMeanwhile(count: number, use: (n: number) => Promise<void>): Promise<number[]> {
  let [begun, isOver] = [0, false];
  const times = timeNoops(() => isOver);
  const workers = Array.from({ length: CONNECTIONS }, async () => {
    while (begun < count) {
      begun += 1;
      await use(begun);
    }
  });
  await Promise.all(workers).finally(() => {
    isOver = true;
  });
  return times;
}

/** Sends random commands on a connection and reads until the server closes it, or until it gives up. Returns what was received. */
async function fuzzOnce(random: () => number): Promise<string> {
  const client = random() < 0.85 ? await site.loggedIn("INBOX") : (await ImapClient.connect(site.login)).client;
  const lines = Array.from({ length: PER_CONNECTION }, () => aCommand(random));
  for (const piece of inPieces(Buffer.from(lines.join("") + LAST, "latin1"), random)) client.write(piece);
  await Promise.race([client.closed(), sleep(GIVE_UP_MS)]);
  const received = client.unread;
  client.end();
  return received;
}

it(`${commands} random commands crash nothing, read no other mailbox, and others are served meanwhile (seed ${seed})`, {
  timeout: byExtent({ quick: 120_000, full: 600_000, long: 3_600_000 }),
}, async () => {
  const { gateway } = site;
  let exitCode: number | null | undefined;
  void gateway().exited.then((code) => {
    exitCode = code;
  });
  const random = seeded(seed);
  const connections = Math.ceil(commands / PER_CONNECTION);
  let bytes = 0;
  const times: Record<"ordinary" | "random", number[]> = { ordinary: [], random: [] };
  for (let left = connections; left > 0; left -= ROUND) {
    const count = Math.min(left, ROUND);
    times.ordinary.push(...(await timeMeanwhile(count, useOnce)));
    const during = await timeMeanwhile(count, async () => {
      const received = await fuzzOnce(random);
      bytes += received.length;
      expect(received).not.toContain(FOREIGN);
      expect(received).not.toMatch(/TypeError|RangeError|undefined|\[object/);
    });
    times.random.push(...during);
  }
  const figures = (all: number[]) =>
    `median ${median(all).toFixed(0)}, 99 % ${percentile(all, 99).toFixed(0)}, longest ${Math.max(...all).toFixed(0)} ms of ${all.length}`;
  const status = await readFile(`/proc/${gateway().pid}/status`, "utf8");
  const megabytes = Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
  console.log(
    `${commands} commands, ${bytes} bytes received. NOOP of another client, with ordinary commands beside it: ${figures(times.ordinary)}; with random ones: ${figures(times.random)}. ${megabytes.toFixed(0)} MB`,
  );
  expect(exitCode).toBeUndefined();
  expect(bytes).toBeGreaterThan(connections * 100);
  expect(percentile(times.random, 99)).toBeLessThan(Math.max(NOOP_MS, NOOP_RATIO * percentile(times.ordinary, 99)));
  expect(megabytes).toBeLessThan(MAX_MEGABYTES);
});
