/**
 * Clients that use one mailbox at once, each response checked as dovecot's imaptest does: sequence numbers, UIDs, flags against a model,
 * and EXPUNGE only where it is allowed. STRESS_SEED=… repeats the commands of a run; their order among the clients differs.
 */
import { beforeAll, expect, it } from "vitest";
import { byExtent } from "./support/extent.ts";
import { startRig } from "./support/gateway-rig.ts";
import { FOLDERS } from "./support/imap/stress-client.ts";
import { runStress } from "./support/imap/stress-run.ts";
import { perSuite } from "./support/suite.ts";

const CLIENTS = 8;
const ms = 60_000 * Number(process.env.IMAP_MINUTES ?? byExtent({ quick: 0.1, full: 1, long: 60 }));
const seed = Number(process.env.STRESS_SEED ?? Math.floor(Math.random() * 1e9));
const PASSWORD = "correct horse battery staple";
const rig = perSuite(() =>
  startRig("stress.test", { connectionsPerMinute: 100_000 }, { imap: [{ port: 0, isImplicitTls: true }] }),
);

beforeAll(async () => {
  await rig.api("PUT", `/v1/mailboxes/${rig.seed.mailboxId}/password`, { password: PASSWORD });
});

it(`${CLIENTS} clients at once get responses that agree with the protocol and with a model (seed ${seed})`, {
  timeout: ms + 300_000,
}, async () => {
  const [port = 0] = rig.gateway.ports.imap;
  const login = { port, caFile: rig.caFile, username: rig.seed.mailbox, password: PASSWORD };
  const { commands, messages, differences } = await runStress({ login, clients: CLIENTS, ms, seed });
  console.log(`${commands} commands of ${CLIENTS} clients in ${ms / 1000} s; ${messages} messages are left`);
  expect(differences).toEqual([]);
  const folders = (await rig.api("GET", `/v1/inbox/${rig.seed.mailboxId}/folders`)) as {
    name: string;
    total: number;
  }[];
  const total = folders.filter(({ name }) => (FOLDERS as readonly string[]).includes(name));
  expect(total.reduce((sum, folder) => sum + folder.total, 0)).toBe(messages);
});
