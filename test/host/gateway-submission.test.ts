/** The gateway's memory of submitted messages, logins and senders. */
import { describe, expect, it } from "vitest";
import { byExtent } from "./support/extent.ts";
import { eventually, startRig } from "./support/gateway-rig.ts";
import { ManualClock } from "./support/manual-clock.ts";
import { SmtpClient } from "./support/smtp-client.ts";
import { perSuite } from "./support/suite.ts";

const rig = perSuite(() => startRig("submission.test", { connectionsPerMinute: 1_000 }));

/** Submits a message and returns its id. */
async function submit(client: SmtpClient, subject: string, text = "x\r\n"): Promise<string> {
  await client.begin(rig.seed.mailbox, "a@example.org");
  client.write(`From: ${rig.seed.mailbox}\r\nSubject: ${subject}\r\n\r\n${text}.\r\n`);
  const reply = await client.reply();
  const [, id] = /^250 .*Queued as (\S+)/.exec(reply) ?? [];
  if (id === undefined) throw new Error(`a message got the reply ${reply}`);
  return id;
}

/** Starts a gateway whose clock stands still until `allEnded`, which lets it pass until no connection is open. */
async function aGateway() {
  const clock = new ManualClock();
  const { ports: opened } = await rig.startGateway({}, clock);
  const [starttls = 0, implicit = 0] = opened.submission;
  const ports = { ...rig.ports, starttls, implicit };
  const allEnded = () =>
    eventually(async () => {
      const response = await fetch(`http://127.0.0.1:${opened.health}/health`);
      const { connections } = (await response.json()) as { connections: number };
      if (connections === 0) return true;
      await clock.advance(1_000);
      return undefined;
    });
  return { ports, allEnded, logIn: () => SmtpClient.loggedIn({ ...rig, ports }) };
}

describe("messages of connections that ended with QUIT", () => {
  it("are second emails when they are sent again, also when many connections end at once with many messages each", async () => {
    const perConnection = byExtent({ quick: 8, full: 60, long: 60 });
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

/** Submits a message and ends the connection at once, or resets it after the Worker has stored the message. */
async function submitAndLose(client: SmtpClient, subject: string, by: "end" | "reset" = "end"): Promise<string> {
  await client.begin(rig.seed.mailbox, "a@example.org");
  client.write(`From: ${rig.seed.mailbox}\r\nSubject: ${subject}\r\n\r\nx\r\n.\r\n`);
  await client.flushed();
  if (by === "end") client.end();
  const id = await eventually(async () => {
    const results = await rig.sql<{ id: string }>(`SELECT id FROM emails WHERE subject = '${subject}'`);
    return results[0]?.id;
  });
  if (by === "reset") client.reset();
  return id;
}

describe("messages of connections that ended without QUIT", () => {
  it.each([
    ["a small one", 10],
    ["one of 300 kB", 300_000],
  ])("are second emails when they are sent again after the client has read the response: %s", async (name, size) => {
    const { logIn, allEnded } = await aGateway();
    const text = `${name}\r\n${"x".repeat(70)}\r\n`.repeat(Math.ceil(size / 80));
    const ids = new Set<string>();
    // The gateway tells the Worker after the connection has ended.
    await eventually(async () => {
      const client = await logIn();
      ids.add(await submit(client, `alarm, ${name}`, text));
      client.end();
      await allEnded();
      return ids.size === 3 ? true : undefined;
    });
  });

  it("are the same email when a reset follows the end within a second", async () => {
    const { ports, logIn, allEnded } = await aGateway();
    const first = await SmtpClient.loggedInByStartTls({ ...rig, ports });
    const id = await submit(first, "reset after the end");
    await first.halfClose();
    first.reset();
    await allEnded();
    expect(await submit(await logIn(), "reset after the end")).toBe(id);
  });
});

describe("a message whose response was lost", () => {
  it.each(["end", "reset"] as const)("is one email when it is repeated after a second: lost by %s", async (by) => {
    const { ports, logIn, allEnded } = await aGateway();
    const client = await SmtpClient.loggedInByStartTls({ ...rig, ports });
    const lost = await submitAndLose(client, `lost by ${by}`, by);
    await allEnded();
    expect(await submit(await logIn(), `lost by ${by}`)).toBe(lost);
  });

  it("is one email when it is repeated, and equal ones after the repeat are sent, on its connection and on later ones", async () => {
    const subject = "lost once";
    const lost = await submitAndLose(await SmtpClient.loggedIn(rig), subject);
    const second = await SmtpClient.loggedIn(rig);
    const ids = [await submit(second, subject), await submit(second, subject)];
    expect(await second.command("QUIT")).toMatch(/^221/);
    const third = await SmtpClient.loggedIn(rig);
    ids.push(await submit(third, subject));
    third.end();
    expect(ids[0]).toBe(lost);
    expect(new Set(ids).size).toBe(3);
  });

  it("is the only one of its connection whose repeat is the same email", async () => {
    const lossy = await SmtpClient.loggedIn(rig);
    const received = await submit(lossy, "received before");
    const twice = [await submit(lossy, "sent twice"), await submit(lossy, "sent twice")];
    await lossy.begin(rig.seed.mailbox, "a@example.org");
    lossy.end();
    // The gateway tells the Worker when the connection has ended, so the first try may come too early for it.
    const client = await SmtpClient.loggedIn(rig);
    expect(await submit(client, "sent twice")).toBe(twice[1]);
    const again = await eventually(async () => {
      const id = await submit(await SmtpClient.loggedIn(rig), "received before");
      return id === received ? undefined : id;
    });
    expect(again).not.toBe(received);
    client.end();
  });
});

describe("connections that log in at the same time", () => {
  it("are each told from the others: the same message is a repeat on another one, and a second email on the same one", async () => {
    const [one, two] = [await SmtpClient.loggedIn(rig), await SmtpClient.loggedIn(rig)];
    const first = await submit(one, "of two connections");
    expect(await submit(two, "of two connections")).toBe(first);
    expect(await submit(one, "of two connections")).not.toBe(first);
    for (const client of [one, two]) client.end();
  });
});

describe("a credential that is deleted while its connections submit", () => {
  it("is refused at the next MAIL FROM and login, also when the domain has a new credential", async () => {
    const [busy, idle] = [await SmtpClient.loggedIn(rig), await SmtpClient.loggedIn(rig)];
    let isDeleted = false;
    const submitAll = async () => {
      for (let n = 0; !isDeleted; n++) {
        const reply = await busy.command(`MAIL FROM:<${rig.seed.mailbox}>`);
        if (!reply.startsWith("250 ")) return reply;
        await busy.command("RCPT TO:<a@example.org>");
        await busy.command("DATA");
        busy.write(`From: ${rig.seed.mailbox}\r\nSubject: busy ${n}\r\n\r\nx\r\n.\r\n`);
        if (!(await busy.reply()).startsWith("250 ")) return "refused";
      }
      return "deleted";
    };
    const submitting = submitAll();
    const [credential] = (await rig.api("GET", "/v1/smtp-credentials/")) as { id: string }[];
    await rig.api("DELETE", `/v1/smtp-credentials/${credential?.id}`);
    isDeleted = true;
    const old = { ...rig.login };
    expect(await idle.command(`MAIL FROM:<${rig.seed.mailbox}>`)).toMatch(/^535 5\.7\.8/);
    await expect(SmtpClient.loggedIn({ ...rig, login: old })).rejects.toThrow("535 5.7.8");
    await submitting;
    const login = (await rig.api("POST", "/v1/smtp-credentials/", { domain_id: rig.seed.domainId })) as typeof old;
    const next = await SmtpClient.loggedIn({ ...rig, login });
    await submit(next, "of the new credential");
    expect(login.username).toBe(old.username);
    await idle.command("RSET");
    expect(await idle.command(`MAIL FROM:<${rig.seed.mailbox}>`)).toMatch(/^535 5\.7\.8/);
    for (const client of [busy, idle, next]) client.end();
  });
});
