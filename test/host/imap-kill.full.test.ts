/** The Worker and the gateway are killed while mail programs change a mailbox. STRESS_SEED=… repeats the changes. */
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, it } from "vitest";
import { seeded } from "../support/failures.ts";
import { byExtent } from "./support/extent.ts";
import { KEPT, KillClient } from "./support/imap/kill-client.ts";
import { startImapSite } from "./support/imap/site.ts";
import { perSuite } from "./support/suite.ts";

const kills = Number(process.env.KILLS ?? byExtent({ quick: 2, full: 5, long: 100 }));
const seed = Number(process.env.STRESS_SEED ?? Math.floor(Math.random() * 1e9));
const CLIENTS = 4;
/** Changes that are answered between two kills at least, and the longest time after them until the next. */
const CHANGES = 20;
const KILL_WITHIN_MS = 500;

const site = perSuite(startImapSite);

beforeAll(async () => {
  const client = await site.loggedIn("INBOX");
  for (const folder of [KEPT, ...folders]) await client.command(`CREATE ${folder}`);
  client.end();
});
const folders = Array.from({ length: CLIENTS }, (_, n) => `Own${n}`);

it(`${kills} kills lose no change that was answered, no body, and use no UID again (seed ${seed})`, {
  timeout: 120_000 + kills * 60_000,
}, async () => {
  const random = seeded(seed);
  const clients = folders.map((folder, n) => new KillClient(folder, site.login, seeded(seed + 1 + n)));
  const changes = () => clients.reduce((sum, client) => sum + client.changes, 0);
  let isOver = false;
  const working = Promise.all(
    clients.map(async (client) => {
      while (!isOver) await client.step();
    }),
  );
  working.catch(() => {});
  const counts = { worker: 0, gateway: 0 };
  const killing = async () => {
    for (let n = 0; n < kills; n += 1) {
      const mark = changes() + CHANGES;
      while (changes() < mark) await sleep(20);
      await sleep(random() * KILL_WITHIN_MS);
      if (random() < 0.5) {
        counts.gateway += 1;
        await site.restartGateway();
      } else {
        counts.worker += 1;
        await site.host.kill();
        await site.host.start();
      }
    }
  };
  await Promise.race([killing(), working.then(() => Promise.reject(new Error("the clients have ended")))]);
  const mark = changes() + CHANGES;
  while (changes() < mark) await Promise.race([sleep(20), working]);
  isOver = true;
  await working;
  const differences: string[] = [];
  for (const client of clients) differences.push(...(await client.differences()));
  console.log(`${changes()} answered changes; kills: ${counts.worker} of the Worker, ${counts.gateway} of the gateway`);
  for (const client of clients) client.close();
  expect(differences).toEqual([]);
});
