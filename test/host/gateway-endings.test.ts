/** Open connections of mail programs whose right to the mailbox has ended, with a real Worker behind the gateway. */
import { describe, expect, it } from "vitest";
import { startRig } from "./support/gateway-rig.ts";
import { ImapClient } from "./support/imap-client.ts";
import { ManualClock } from "./support/manual-clock.ts";
import { SmtpClient } from "./support/smtp-client.ts";
import { perSuite } from "./support/suite.ts";

const PASSWORD = "correct horse battery staple";

const rig = perSuite(async () => {
  const started = await startRig(
    "endings.test",
    {},
    {
      imap: [
        { port: 0, isImplicitTls: false },
        { port: 0, isImplicitTls: true },
      ],
    },
  );
  await started.api("PUT", `/v1/mailboxes/${started.seed.mailboxId}/password`, { password: PASSWORD });
  return started;
});

describe("a gateway", () => {
  it("refuses a login at once, and ends connections of IMAP and submission within ten seconds, when a right has ended of which nothing is told", async () => {
    const clock = new ManualClock();
    const { ports } = await rig.startGateway({}, clock);
    const options = { port: ports.imap[1] ?? 0, caFile: rig.caFile, isImplicitTls: true };
    const [one, other] = [await ImapClient.connect(options), await ImapClient.connect(options)];
    const login = `LOGIN ${rig.seed.mailbox} "${PASSWORD}"`;
    expect((await one.client.command(login)).at(-1)).toMatch(/^OK/);
    const credentials = { username: rig.seed.mailbox, password: PASSWORD };
    const [, implicit = 0] = ports.submission;
    const submission = await SmtpClient.loggedIn({ ...rig, ports: { ...rig.ports, implicit }, login: credentials });
    const left = await SmtpClient.loggedIn({ ...rig, ports: { ...rig.ports, implicit }, login: credentials });
    await left.command("QUIT");
    await clock.advance(10_000);
    expect((await one.client.command("NOOP")).at(-1)).toMatch(/^OK/);
    expect(await submission.command("NOOP")).toMatch(/^250/);
    const setActive = (is_active: boolean) => rig.api("PATCH", `/v1/mailboxes/${rig.seed.mailboxId}`, { is_active });
    await setActive(false);
    expect((await other.client.command(login)).at(-1)).toMatch(/^NO \[AUTHENTICATIONFAILED\]/);
    await clock.advance(4_000);
    expect(await one.client.line()).toBe("* BYE The access has ended");
    await one.client.closed();
    expect(await submission.reply()).toBe("421 4.4.2 The access to this mailbox has ended");
    await submission.closed();
    await setActive(true);
    expect((await other.client.command(login)).at(-1)).toMatch(/^OK/);
    other.client.end();
  });

  it("ends the connections of clients that read nothing, and that do not end their message, within ten seconds too", async () => {
    const clock = new ManualClock();
    const { ports } = await rig.startGateway({}, clock);
    const logIn = async () => {
      const options = { port: ports.imap[1] ?? 0, caFile: rig.caFile, isImplicitTls: true };
      const { client } = await ImapClient.connect(options);
      for (const command of [`LOGIN ${rig.seed.mailbox} "${PASSWORD}"`, "SELECT Archive"])
        await client.command(command);
      return client;
    };
    const [silent, other] = [await logIn(), await logIn()];
    const size = 20_000_000;
    const message = "x"
      .repeat(98)
      .concat("\r\n")
      .repeat(size / 100);
    const appended = await silent.command(`APPEND Archive () {${size}+}\r\n${message}`);
    const [, uid] = /^OK \[APPENDUID \d+ (\d+)\]/.exec(appended.at(-1) ?? "") ?? [];
    silent.write(`a UID FETCH ${uid} BODY.PEEK[]\r\n`);
    await expect.poll(() => silent.unread).toContain("FETCH");
    silent.stopReading();
    const [, implicit = 0] = ports.submission;
    const login = { username: rig.seed.mailbox, password: PASSWORD };
    const submission = await SmtpClient.loggedIn({ ...rig, ports: { ...rig.ports, implicit }, login });
    expect(await submission.begin(rig.seed.mailbox, "a@example.org")).toMatch(/^354/);
    const connections = async () => {
      const response = await fetch(`http://127.0.0.1:${ports.health}/health`);
      return ((await response.json()) as { connections: number }).connections;
    };
    const setActive = (is_active: boolean) => rig.api("PATCH", `/v1/mailboxes/${rig.seed.mailboxId}`, { is_active });
    await setActive(false);
    await clock.advance(4_000);
    expect(await other.line()).toBe("* BYE The access has ended");
    await clock.advance(4_000);
    expect(await submission.reply()).toBe("421 4.4.2 The access to this mailbox has ended");
    await expect.poll(connections).toBe(0);
    await setActive(true);
    silent.end();
  });
});
