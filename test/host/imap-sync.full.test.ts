/**
 * Four Maildirs that mbsync keeps equal to a mailbox, with random changes in all of them and by the API at once. At the end nothing
 * differs. IMAP_MINUTES=… sets the time of changes, STRESS_SEED=… their seed.
 */
import { spawnSync } from "node:child_process";
import { beforeAll, expect, it } from "vitest";
import { seeded } from "../support/failures.ts";
import { byExtent } from "./support/extent.ts";
import { startRig } from "./support/gateway-rig.ts";
import { flagsOf, type MaildirFile, MbsyncClient } from "./support/imap/mbsync.ts";
import { perSuite } from "./support/suite.ts";

const CLIENTS = 4;
const FOLDERS = ["INBOX", "Archive"];
const ENOUGH = 60;
const ms = 60_000 * Number(process.env.IMAP_MINUTES ?? byExtent({ quick: 0.2, full: 2, long: 60 }));
const seed = Number(process.env.STRESS_SEED ?? Math.floor(Math.random() * 1e9));
const PASSWORD = "correct horse battery staple";
const hasMbsync = !spawnSync("mbsync", ["--version"]).error;
if (!hasMbsync && process.env.REQUIRE_TOOLS === "1") throw new Error("REQUIRE_TOOLS: mbsync is not installed");
if (!hasMbsync) console.warn("SKIPPED, mbsync is not installed; on Debian: apt-get install isync");

interface Listed {
  uid: number;
  subject: string;
  seen: boolean;
  flagged: boolean;
}

const rig = perSuite(() =>
  startRig("sync.test", { connectionsPerMinute: 100_000 }, { imap: [{ port: 0, isImplicitTls: true }] }),
);

beforeAll(async () => {
  await rig.api("PUT", `/v1/mailboxes/${rig.seed.mailboxId}/password`, { password: PASSWORD });
});

const inbox = <Out>(method: string, path: string, body?: unknown) =>
  rig.api<Out>(method, `/v1/inbox/${rig.seed.mailboxId}${path}`, body);

async function listed(folder: string): Promise<Listed[]> {
  const all: Listed[] = [];
  for (;;) {
    const path = `/messages?folder=${folder}&limit=100&offset=${all.length}`;
    const page = await inbox<{ items: Listed[]; total: number }>("GET", path);
    all.push(...page.items);
    if (all.length >= page.total || page.items.length === 0) return all;
  }
}

function pick<Item>(items: readonly Item[], random: () => number): Item | undefined {
  return items[Math.floor(random() * items.length)];
}

/** Changes something in a Maildir. */
async function changeMaildir(client: MbsyncClient, name: string, random: () => number): Promise<void> {
  const folder = pick(FOLDERS, random) ?? "INBOX";
  const files = await client.files(folder);
  const file = pick(files, random);
  if (!file || random() < (files.length < ENOUGH ? 0.4 : 0.1)) {
    await client.write(folder, `From: a@example.org\nSubject: ${name}\n\nText of ${name}\n`);
  } else if (random() < 0.6) await client.setFlags(file, pick(["", "F", "FS", "S", "RS"], random) ?? "");
  else await client.delete(file);
}

/** Changes something by the API, as webmail does. The message may be gone meanwhile. */
async function changeByApi(name: string, random: () => number): Promise<void> {
  const folder = pick(FOLDERS, random) ?? "INBOX";
  const message = pick(await listed(folder), random);
  if (!message || random() < 0.2) {
    const { uid } = await inbox<Listed>("POST", "/drafts", { to: ["a@example.org"], subject: name, text: name });
    await inbox("POST", `/messages/${uid}/move?folder=Drafts`, { folder });
    return;
  }
  const path = (what: string) => `/messages/${message.uid}${what}?folder=${folder}`;
  const kind = random();
  const other = FOLDERS.find((one) => one !== folder);
  const change =
    kind < 0.6
      ? inbox("POST", path("/flags"), { seen: random() < 0.5, flagged: random() < 0.5 })
      : kind < 0.8
        ? inbox("POST", path("/move"), { folder: other })
        : inbox("DELETE", `${path("")}&expunge=true`);
  await change.catch((error: Error) => {
    if (!/: 404 /.test(error.message)) throw error;
  });
}

/** Describes what a Maildir and the API say alike of a message. */
async function describeFile(client: MbsyncClient, file: MaildirFile): Promise<string> {
  const [, subject = ""] = /^Subject: (.*?)\r?$/m.exec(await client.read(file)) ?? [];
  return `${subject} seen:${flagsOf(file).includes("S")} flagged:${flagsOf(file).includes("F")}`;
}

const describeListed = ({ subject, seen, flagged }: Listed) => `${subject} seen:${seen} flagged:${flagged}`;

it.runIf(hasMbsync)(
  `random changes of ${CLIENTS} Maildirs and by the API leave no difference (seed ${seed})`,
  {
    timeout: ms + 600_000,
  },
  async () => {
    const [port = 0] = rig.gateway.ports.imap;
    const login = { port, caFile: rig.caFile, username: rig.seed.mailbox, password: PASSWORD };
    const clients = await Promise.all(Array.from({ length: CLIENTS }, () => MbsyncClient.create(login)));
    const apiRandom = seeded(seed + CLIENTS);
    const counts = { changes: 0, syncs: 0 };
    const end = Date.now() + ms;
    const changing = async (step: (name: string) => Promise<void>, prefix: string) => {
      for (let n = 0; Date.now() < end; n += 1) {
        await step(`${prefix}-${n}`);
        counts.changes += 1;
      }
    };
    try {
      for (const client of clients) await client.sync();
      await Promise.all([
        ...clients.map(async (client, index) => {
          const random = seeded(seed + index);
          await changing(async (name) => {
            await changeMaildir(client, name, random);
            if (random() < 0.5) return;
            counts.syncs += 1;
            await client.sync();
          }, `client${index}`);
        }),
        changing((name) => changeByApi(name, apiRandom), "api"),
      ]);
      // Changes that one brings in the first round, the others get in the second.
      for (let round = 0; round < 3; round += 1) for (const client of clients) await client.sync();
      console.log(`${counts.changes} changes, ${counts.syncs} syncs meanwhile`);
      for (const folder of FOLDERS) {
        const far = (await listed(folder)).map(describeListed).sort();
        for (const client of clients) {
          const files = await client.files(folder);
          const near = (await Promise.all(files.map((file) => describeFile(client, file)))).sort();
          expect(near).toEqual(far);
        }
      }
    } finally {
      for (const client of clients) await client.remove();
    }
  },
);
