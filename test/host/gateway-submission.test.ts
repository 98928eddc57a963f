/** What the gateway remembers of submitted messages, logins and senders. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { removeBundle } from "../../bench/host/start.ts";
import { type GatewayRig, startRig } from "./support/gateway-rig.ts";
import { SmtpClient } from "./support/smtp-client.ts";

let rig: GatewayRig;

beforeAll(async () => {
  rig = await startRig({ connectionsPerMinute: 1_000 });
}, 120_000);
afterAll(async () => {
  await rig?.close();
  await removeBundle();
});

/** Submits a message and returns its id. */
async function submit(client: SmtpClient, subject: string): Promise<string> {
  await client.begin(rig.seed.mailbox, "a@example.org");
  client.write(`From: ${rig.seed.mailbox}\r\nSubject: ${subject}\r\n\r\nx\r\n.\r\n`);
  const reply = await client.reply();
  const [, id] = /^250 .*Queued as (\S+)/.exec(reply) ?? [];
  if (id === undefined) throw new Error(`a message was answered ${reply}`);
  return id;
}

describe("messages of connections that ended with QUIT", () => {
  it("are second emails when they are sent again, also when many connections end at once with many messages each", async () => {
    const perConnection = 60;
    const clients = await Promise.all(Array.from({ length: 8 }, () => SmtpClient.loggedIn(rig)));
    const submitAll = async (client: SmtpClient, n: number) => {
      const ids = [];
      for (let m = 0; m < perConnection; m++) ids.push(await submit(client, `message ${n} ${m}`));
      return ids;
    };
    const first = (await Promise.all(clients.map(submitAll))).flat();
    await Promise.all(clients.map((client) => client.command("QUIT")));
    const client = await SmtpClient.loggedIn(rig);
    const again = [];
    for (let n = 0; n < clients.length; n++) again.push(await submit(client, `message ${n} 0`));
    expect(first).toHaveLength(8 * perConnection);
    expect(again.filter((id) => first.includes(id))).toEqual([]);
    client.end();
  }, 60_000);
});
