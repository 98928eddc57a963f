/**
 * A real Postfix as the egress, configured as docs/egress/postfix/ says. It stands between the Worker and the recipients'
 * server, and its reports come back through the MX of the gateway.
 */
import { createRequire } from "node:module";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { byExtent } from "./support/extent.ts";
import { eventually, type GatewayRig, startRig } from "./support/gateway-rig.ts";
import { findTestPort } from "./support/ports.ts";
import { LOGIN, Postfix, postfixUnavailable } from "./support/postfix.ts";
import { RecipientsServer } from "./support/recipients-server.ts";
import { startService } from "./support/shared-service.ts";
import { SmtpClient } from "./support/smtp-client.ts";

type DkimVerify = (
  message: Buffer,
  options: { resolver: (name: string, type: string) => Promise<string[][]> },
) => Promise<{ results: { status: { result: string } }[] }>;
const { dkimVerify } = createRequire(import.meta.url)("mailauth/lib/dkim/verify.js") as { dkimVerify: DkimVerify };

interface Email {
  status: string;
  events: { event_type: string; metadata: Record<string, unknown> }[];
}

const account = `${LOGIN.username}:${encodeURIComponent(LOGIN.password)}`;

const AT_ONCE = byExtent({ quick: 30, full: 100, long: 100 });
const ATTACHED_BYTES = byExtent({ quick: 1_000_000, full: 12_000_000, long: 12_000_000 });

describe.skipIf(postfixUnavailable() !== null)("Postfix as the egress", () => {
  let recipients: RecipientsServer;
  let postfix: Postfix;
  let rig: GatewayRig;
  const ports = { submission: 0, submissions: 0 };

  beforeAll(async () => {
    recipients = await RecipientsServer.start();
    // Below the ports that the system gives to connections, of which any may be taken in between.
    const free = await findTestPort();
    Object.assign(ports, { submission: free, submissions: free + 1 });
    postfix = await Postfix.start({ ports, recipientsPort: recipients.port });
  }, 60_000);
  afterAll(async () => {
    await postfix?.stop();
    recipients?.close();
  });

  /** Starts the Worker and the gateway, and sends Postfix's reports to the gateway. */
  async function start(egressUrl: string) {
    rig = await startRig("sender.test", {}, {}, await startService({ EGRESS_URL: egressUrl }));
    postfix.route("bounces.mail.test", rig.ports.mx);
  }

  async function send(email: string, content: Record<string, unknown> = { text: "Hello." }): Promise<string> {
    const sent = (await rig.api("POST", "/v1/emails/", {
      from_: { email: rig.seed.mailbox },
      to: [{ email }],
      subject: "Through a smart host",
      ...content,
    })) as { id: string };
    return sent.id;
  }

  const read = async (id: string) => (await rig.api("GET", `/v1/emails/${id}`)) as Email;
  const becomes = (id: string, status: string) =>
    eventually(async () => {
      const email = await read(id);
      return email.status === status ? email : undefined;
    });
  const suppressed = async (email: string) =>
    ((await rig.api("GET", `/v1/suppressions/?q=${email}`)) as { email: string }[]).map((row) => row.email);

  describe("with STARTTLS and ?dsn=on", () => {
    beforeAll(() => start(`smtp://${account}@127.0.0.1:${ports.submission}/?dsn=on`), 120_000);
    afterAll(() => rig?.close());

    it("an email keeps its return path and both signatures, and is delivered when its server has accepted it", async () => {
      const id = await send("friend@example.org");
      const email = await becomes(id, "delivered");
      expect(email.events.map(({ event_type }) => event_type)).toEqual(expect.arrayContaining(["sent", "delivered"]));
      const { metadata } = email.events.find(({ event_type }) => event_type === "delivered") ?? {};
      expect(metadata).toMatchObject({ source: "dsn", action: "relayed" });
      const message = recipients.find("friend@example.org");
      expect(message?.from).toMatch(/^b[a-z2-7]{56}@bounces\.mail\.test$/);
      const records = new Map(
        rig.seed.dkim.map((key) => [`${key.selector}._domainkey.${rig.seed.domain}`, key.record]),
      );
      const resolver = async (name: string) => [[records.get(name) ?? ""]];
      const { results } = await dkimVerify(Buffer.from(message?.raw ?? "", "latin1"), { resolver });
      expect(results.map(({ status }) => status.result)).toEqual(["pass", "pass"]);
    });

    it("an email that its server refuses is bounced, and the address is suppressed", async () => {
      const id = await send("gone@example.org");
      const email = await becomes(id, "bounced");
      const { metadata } = email.events.find(({ event_type }) => event_type === "bounced") ?? {};
      expect(metadata).toMatchObject({ source: "dsn", dsn: "5.1.1", bounce_type: "hard" });
      expect(await suppressed("gone@example.org")).toEqual(["gone@example.org"]);
    });

    it("an email that waits in the queue is sent, not delivered, until its server takes it", async () => {
      recipients.isBusy = true;
      const id = await send("later@example.org");
      const [queued] = await eventually(() => {
        const found = postfix.queued().filter((each) => each.recipients.some((to) => to.delay_reason));
        return found.length > 0 ? found : undefined;
      });
      expect(queued?.recipients[0]?.delay_reason).toContain("4.3.2");
      expect((await read(id)).status).toBe("sent");
      recipients.isBusy = false;
      postfix.flush();
      await becomes(id, "delivered");
    });

    it(`an address outside ASCII and an attachment of ${ATTACHED_BYTES / 1e6} MB arrive`, async () => {
      const attachments = [
        {
          filename: "data.bin",
          content_base64: Buffer.alloc(ATTACHED_BYTES, 7).toString("base64"),
          content_type: "application/pdf",
        },
      ];
      await becomes(await send("grüße@example.org"), "delivered");
      expect(recipients.received.flatMap(({ to }) => to)).toContain("grüße@example.org");
      await becomes(await send("large@example.org", { text: "A file.", attachments }), "delivered");
      expect(recipients.find("large@example.org")?.raw.length).toBeGreaterThan((ATTACHED_BYTES * 4) / 3);
    });

    it(`${AT_ONCE} emails sent at once arrive once each, over connections with TLS only`, async () => {
      const names = Array.from({ length: AT_ONCE }, (_, at) => `many-${at}@example.org`);
      await Promise.all(names.map((name) => send(name)));
      await eventually(() => names.every((name) => recipients.find(name)) || undefined);
      expect(recipients.received.filter(({ to }) => to[0]?.startsWith("many-"))).toHaveLength(AT_ONCE);
      const log = (await postfix.readLog()).split("\n");
      expect(log.filter((line) => line.includes("sasl_username=worker")).length).toBeGreaterThan(AT_ONCE);
      expect(log.filter((line) => /too many errors|Connection concurrency|warning|fatal|panic/.test(line))).toEqual([]);
    });
  });

  describe("with implicit TLS and no reports about success", () => {
    beforeAll(() => start(`smtps://${account}@127.0.0.1:${ports.submissions}`), 120_000);
    afterAll(() => rig?.close());

    it("an email counts as delivered once Postfix has it, and a later bounce corrects that", async () => {
      const email = await becomes(await send("gone-later@example.net"), "bounced");
      const types = email.events.map(({ event_type }) => event_type);
      expect(types.indexOf("delivered")).toBeGreaterThan(-1);
      expect(types.indexOf("bounced")).toBeGreaterThan(types.indexOf("delivered"));
    });
  });

  it("takes mail with TLS and a password only", async () => {
    const plain = await SmtpClient.connect(ports.submission);
    await plain.command("EHLO stranger.test");
    expect(await plain.command("MAIL FROM:<a@example.org>")).toMatch(/^530 5\.7\.0 Must issue a STARTTLS/);
    plain.end();
    const stranger = await SmtpClient.connect(ports.submissions, { ca: process.env.NODE_EXTRA_CA_CERTS });
    await stranger.command("EHLO stranger.test");
    await stranger.command("MAIL FROM:<a@example.org>");
    expect(await stranger.command("RCPT TO:<friend@example.org>")).toMatch(/^554 5\.7\.1 .*(Relay a|A)ccess denied/);
    stranger.end();
  });
});
