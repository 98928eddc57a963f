/** A mail program by an app password: Python's imaplib and smtplib against the gateway and the Worker. */
import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type GatewayRig, startRig } from "./support/gateway-rig.ts";
import { pythonUnavailable } from "./support/python.ts";
import { startService } from "./support/shared-service.ts";

const run = promisify(execFile);
const skipped = pythonUnavailable("imaplib");
let rig: GatewayRig;

beforeAll(async () => {
  if (skipped !== null) return;
  const vars = { IMAP_HOST: "imap.gateway.test", SMTP_HOST: "smtp.gateway.test" };
  rig = await startRig("gateway.test", {}, { imap: [{ port: 0, isImplicitTls: true }] }, await startService(vars));
}, 120_000);
afterAll(async () => {
  await rig?.close();
});

describe.skipIf(skipped !== null)("a mail program with an app password", () => {
  it("finds its servers, reads and sends with one copy in Sent, until the password is deleted", async () => {
    const { seed, ports, gateway, host, caFile } = rig;
    const [imap = 0] = gateway.ports.imap;
    const numbers = [imap, ports.starttls, ports.implicit].map(String);
    const script = path.join(import.meta.dirname, "support", "mail_program.py");
    const values = [host.url, seed.apiKey, seed.mailboxId, seed.mailbox, ...numbers, caFile];
    const { stdout } = await run("python3", [script, ...values]);
    expect(JSON.parse(stdout)).toEqual({
      config: [
        ["imap.gateway.test", "993"],
        ["smtp.gateway.test", "465"],
        ["smtp.gateway.test", "587"],
      ],
      autodiscover: ["993", "465"],
      profile: [993, 465],
      copies: 1,
      "copies after an own one": 2,
      subjects: ["Subject: Number 1", "Subject: Number 2"],
      "foreign sender": 550,
      "foreign field": 550,
      end: expect.stringMatching(/^\* BYE /),
      "ended soon": true,
      // It is closed when the access ends, before it sends.
      "open connection": 421,
      "new logins": [535, expect.stringContaining("AUTHENTICATIONFAILED")],
    });
    expect(rig.sent.map(({ to }) => to)).toEqual(["friend@example.org", "friend@example.org"]);
  }, 60_000);
});
