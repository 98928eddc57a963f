/** A Postfix as the mail system of recipients. It relays to the local internet, where the tests read what it took. */

import { createRequire } from "node:module";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { MailSystem } from "../../dev/internet/index.ts";
import { startWorkerRig, type WorkerRig } from "./support/egress-internet/worker-rig.ts";
import { byExtent } from "./support/extent.ts";
import { certificateFiles, eventually } from "./support/gateway-rig.ts";
import { type PostfixMaster, startMaster } from "./support/mail-servers/postfix-master.ts";
import { postfixUnavailable } from "./support/postfix.ts";
import { temporaryFolder } from "./support/suite.ts";

type DkimVerify = (
  message: Buffer,
  options: { resolver: (name: string, type: string) => Promise<string[][]> },
) => Promise<{ results: { status: { result: string } }[] }>;
const { dkimVerify } = createRequire(import.meta.url)("mailauth/lib/dkim/verify.js") as { dkimVerify: DkimVerify };

const system: MailSystem = {
  name: "postfix",
  domains: ["postfix.test"],
  mx: ["mx.postfix.test"],
  address: "127.0.60.1",
  behaviour: {},
};
/** 24 MiB on the wire in the longer runs. */
const ATTACHED_BYTES = byExtent({ quick: 3_000_000, full: 17_600_000, long: 17_600_000 });

describe.skipIf(postfixUnavailable() !== null)("Postfix as the recipients' mail system", () => {
  let rig: WorkerRig;
  let postfix: PostfixMaster;
  const folder = temporaryFolder();

  beforeAll(async () => {
    rig = await startWorkerRig({ systems: [], elsewhere: [system], kept: "content" });
    const { variables } = await certificateFiles(folder);
    const settings = {
      inet_interfaces: "all",
      relay_domains: "postfix.test",
      smtpd_relay_restrictions: "reject_unauth_destination",
      // Addresses of the tests that do not exist there.
      smtpd_recipient_restrictions: "check_recipient_access inline:{{gone@postfix.test=REJECT 5.1.1 unknown}}, permit",
      relayhost: `[127.0.0.1]:${rig.internet.smtpPort}`,
      smtpd_tls_security_level: "encrypt",
      smtpd_tls_key_file: variables.TLS_KEY_FILE,
      smtpd_tls_cert_file: variables.TLS_CERTIFICATE_FILE,
      smtputf8_enable: "yes",
    };
    postfix = await startMaster(settings, { address: system.address, port: rig.internet.smtpPort });
  }, 120_000);
  afterAll(async () => {
    await postfix?.stop();
    await rig?.close();
  });

  /** Waits for what Postfix has relayed to an address. */
  const relayed = (to: string) =>
    eventually(() => rig.internet.receiver("accepts").messages.find((message) => message.to.includes(to)));

  /** Returns the result of each DKIM signature. */
  async function verify(content: Buffer | null): Promise<string[]> {
    const resolver = async (name: string) => {
      const key = rig.sender.dkim.find(({ selector }) => name === `${selector}._domainkey.${rig.sender.domain}`);
      if (key) return [[key.record]];
      throw Object.assign(new Error(`no such name: ${name}`), { code: "ENOTFOUND" });
    };
    const { results } = await dkimVerify(content ?? Buffer.alloc(0), { resolver });
    return results.map(({ status }) => status.result);
  }

  it("an email arrives over TLS with both signatures, and is delivered by the reply of Postfix", async () => {
    const id = await rig.send("ann@postfix.test");
    const { events } = await rig.becomes(id, "delivered");
    expect(events.at(-1)?.metadata).toMatchObject({ relay: "mx.postfix.test" });
    expect(events.at(-1)?.metadata.response).toMatch(/^250 2\.0\.0 Ok: queued as \w+$/);
    const { content } = await relayed("ann@postfix.test");
    expect(await verify(content)).toEqual(["pass", "pass"]);
    expect(content?.toString("latin1")).toMatch(/by localhost \(Postfix\) with ESMTPS /);
  });

  it("addresses outside ASCII arrive", async () => {
    const id = await rig.send("jörg@postfix.test", { subject: "Grüße" });
    await rig.becomes(id, "delivered");
    expect(await verify((await relayed("jörg@postfix.test")).content)).toEqual(["pass", "pass"]);
  });

  it("a large email arrives as it was signed", async () => {
    const content_base64 = Buffer.alloc(ATTACHED_BYTES, 7).toString("base64");
    const id = await rig.send("large@postfix.test", { attachments: [{ filename: "large.bin", content_base64 }] });
    await rig.becomes(id, "delivered");
    const { content, size } = await relayed("large@postfix.test");
    expect(size).toBeGreaterThan((ATTACHED_BYTES * 4) / 3);
    expect(await verify(content)).toEqual(["pass", "pass"]);
  });

  it("an address that does not exist is a hard bounce with its reply", async () => {
    const { events } = await rig.becomes(await rig.send("gone@postfix.test"), "bounced");
    expect(events.at(-1)?.metadata).toMatchObject({ bounce_type: "hard", dsn: "5.1.1" });
  });
});
