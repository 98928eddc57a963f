/**
 * Mail servers from Debian as the mail systems of recipients, with MTA-STS policies. They relay to the local internet, where the
 * tests read what they took.
 */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DnsRecord } from "../../dev/dns/record.ts";
import type { MailSystem } from "../../dev/internet/index.ts";
import { type PolicyServer, servePolicies } from "./support/egress/policy-server.ts";
import { startWorkerRig, type WorkerRig } from "./support/egress-internet/worker-rig.ts";
import { eventually } from "./support/gateway-rig.ts";
import { eximUnavailable, startExim } from "./support/mail-servers/exim.ts";
import { opensmtpdUnavailable, startOpensmtpd } from "./support/mail-servers/opensmtpd.ts";
import { startPostfix } from "./support/mail-servers/postfix.ts";
import type { RunningServer, ServerPlan } from "./support/mail-servers/server.ts";
import { postfixUnavailable } from "./support/postfix.ts";
import { pythonUnavailable, runPython } from "./support/python.ts";
import { temporaryFolder } from "./support/suite.ts";
import { createAuthority } from "./support/test-authority.ts";

type DkimVerify = (
  message: Buffer,
  options: { resolver: (name: string, type: string) => Promise<string[][]> },
) => Promise<{ results: { status: { result: string } }[] }>;
const { dkimVerify } = createRequire(import.meta.url)("mailauth/lib/dkim/verify.js") as { dkimVerify: DkimVerify };

/** The most that an email may have: 33 MiB on the wire. */
const ATTACHED_BYTES = 24 * 1024 * 1024;

interface Server {
  name: string;
  unavailable: string | null;
  start(plan: ServerPlan): Promise<RunningServer>;
  /** Words of its reply to a message, to an address that it does not know, and of its Received field. */
  accepted: RegExp;
  unknown: { response: string; dsn: string | null };
  received: RegExp;
  hasSmtpUtf8: boolean;
}

const SERVERS: Server[] = [
  {
    name: "postfix",
    unavailable: postfixUnavailable(),
    start: startPostfix,
    accepted: /^250 2\.0\.0 Ok: queued as \w+$/,
    unknown: { response: "554 5.1.1 <gone@postfix.test>: Recipient address rejected: unknown", dsn: "5.1.1" },
    received: /by mx\.postfix\.test \(Postfix\) with ESMTPS /,
    hasSmtpUtf8: true,
  },
  {
    name: "exim",
    unavailable: eximUnavailable(),
    start: startExim,
    accepted: /^250 OK id=\S+$/,
    unknown: { response: "550 Unrouteable address", dsn: null },
    received: /by mx\.exim\.test with esmtps +\(TLS1\.3\)/,
    hasSmtpUtf8: true,
  },
  {
    name: "opensmtpd",
    unavailable: opensmtpdUnavailable(),
    start: startOpensmtpd,
    accepted: /^250 2\.0\.0 \w+ Message accepted for delivery$/,
    unknown: { response: "550 Invalid recipient: <gone@opensmtpd.test>", dsn: null },
    received: /by mx\.opensmtpd\.test \(OpenSMTPD\) with ESMTPS id \S+ \(TLSv1\.3:/,
    hasSmtpUtf8: false,
  },
];

const present = SERVERS.filter(({ unavailable }) => unavailable === null);
const addressOf = (name: string) => `127.0.61.${SERVERS.findIndex((server) => server.name === name) + 1}`;
/** A server has a domain without a policy, one whose policy names it, and one whose policy names a host that its certificate does not have. */
const domainsOf = (name: string) => [`${name}.test`, `strict-${name}.test`, `wrong-${name}.test`];
const systems: MailSystem[] = present.flatMap(({ name }) => {
  const [plain = "", strict = "", wrong = ""] = domainsOf(name);
  const of = { address: addressOf(name), behaviour: {} };
  return [
    { name, domains: [plain, strict], mx: [`mx.${name}.test`], ...of },
    { name: `wrong-${name}`, domains: [wrong], mx: [`mx.${wrong}`], ...of },
  ];
});
const policies = Object.fromEntries(
  present.flatMap(({ name }) => [
    [`strict-${name}.test`, { mode: "enforce", mx: `mx.${name}.test` }],
    [`wrong-${name}.test`, { mode: "enforce", mx: `mx.wrong-${name}.test` }],
  ]),
);
const records = Object.keys(policies).flatMap((domain): DnsRecord[] => [
  { type: "TXT", name: `_mta-sts.${domain}`, value: "v=STSv1; id=1;" },
  { type: "A", name: `mta-sts.${domain}`, value: "127.0.0.1" },
]);

const withoutPython = pythonUnavailable("dkim, nacl");

describe.skipIf(present.length === 0)("mail servers of Debian", () => {
  let rig: WorkerRig;
  const folder = temporaryFolder();
  let policyServer: PolicyServer;
  const running: RunningServer[] = [];

  beforeAll(async () => {
    // Servers that run as another user read their files in it.
    chmodSync(folder, 0o755);
    const authority = await createAuthority(folder);
    const { key, cert } = await authority.certify(...present.map(({ name }) => `mx.${name}.test`));
    policyServer = await servePolicies(
      authority,
      policies,
      Object.keys(policies).map((domain) => `mta-sts.${domain}`),
    );
    rig = await startWorkerRig(
      { systems: [], elsewhere: systems, records, kept: "content" },
      { POLICY_PORT: String(policyServer.port), CA_FILE: authority.file },
    );
    for (const { name, start } of present) {
      const own = path.join(folder, name, "own");
      mkdirSync(own, { recursive: true });
      const [keyFile, certificateFile] = [path.join(own, "key.pem"), path.join(own, "certificate.pem")] as const;
      writeFileSync(keyFile, key, { mode: 0o600 });
      writeFileSync(certificateFile, cert);
      const { smtpPort: port } = rig.internet;
      const at = { address: addressOf(name), port, relayPort: port, folder: own };
      const server = await start({
        name: `mx.${name}.test`,
        domains: domainsOf(name),
        keyFile,
        certificateFile,
        ...at,
      });
      running.push(server);
      console.info(`${name} ${server.version}`);
    }
  }, 120_000);
  afterAll(async () => {
    await Promise.all(running.map((server) => server.stop()));
    await rig?.close();
    policyServer?.close();
  });

  const messagesTo = (to: string) =>
    rig.internet.receiver("accepts").messages.filter((message) => message.to.includes(to));
  /** Waits for the message to an address that a server has relayed. */
  const relayed = (to: string) => eventually(() => messagesTo(to)[0]?.content ?? undefined);

  /** Expects that both signatures of a message pass, in mailauth and in dkimpy. */
  async function expectBothSignatures(content: Buffer) {
    const keys = new Map(
      rig.sender.dkim.map(({ selector, record }) => [`${selector}._domainkey.${rig.sender.domain}`, record]),
    );
    const resolver = async (name: string) => [[keys.get(name) ?? ""]];
    const { results } = await dkimVerify(content, { resolver });
    expect(results.map(({ status }) => status.result)).toEqual(["pass", "pass"]);
    if (withoutPython) return;
    const blocks = [Buffer.from(JSON.stringify(Object.fromEntries(keys))), content];
    expect(await runPython("verify_dkim.py", blocks, 1)).toEqual([[true, true]]);
  }

  describe.each(SERVERS)("$name", ({ name, unavailable, accepted, unknown, received, hasSmtpUtf8 }) => {
    const [plain = "", strict = "", wrong = ""] = domainsOf(name);
    const test = it.skipIf(unavailable !== null);

    test("takes an email over TLS with both signatures, which is delivered by its reply", async () => {
      const { events } = await rig.becomes(await rig.send(`ann@${plain}`), "delivered");
      expect(events.at(-1)?.metadata).toMatchObject({ relay: `mx.${name}.test` });
      expect(events.at(-1)?.metadata.response).toMatch(accepted);
      const content = await relayed(`ann@${plain}`);
      expect(content.toString("latin1")).toMatch(received);
      await expectBothSignatures(content);
    });

    test("takes the email of a domain whose MTA-STS policy names its certificate", async () => {
      await rig.becomes(await rig.send(`ann@${strict}`), "delivered");
      expect((await relayed(`ann@${strict}`)).toString("latin1")).toMatch(received);
      expect(policyServer.fetched).toContain(`mta-sts.${strict}/.well-known/mta-sts.txt`);
    });

    test("gets no email of a domain whose policy names another host, and the timeline says why", async () => {
      const id = await rig.send(`ann@${wrong}`);
      const metadata = await eventually(async () => {
        const { events } = await rig.read(id);
        return events.find(({ event_type }) => event_type === "deferred")?.metadata;
      });
      expect(metadata).toMatchObject({ relay: `mx.${wrong}`, phase: "tls" });
      expect(metadata.reason).toContain(`${wrong}. is not in the cert's altnames`);
      expect(metadata.reason).toMatch(/; the MTA-STS policy of the domain requires a valid certificate$/);
      expect(messagesTo(`ann@${wrong}`)).toEqual([]);
    });

    test("takes a large email as it was signed", async () => {
      const content_base64 = Buffer.alloc(ATTACHED_BYTES, 7).toString("base64");
      const attachments = [{ filename: "large.bin", content_base64 }];
      await rig.becomes(await rig.send(`large@${plain}`, { attachments }), "delivered");
      const content = await relayed(`large@${plain}`);
      expect(content.length).toBeGreaterThan((ATTACHED_BYTES * 4) / 3);
      await expectBothSignatures(content);
    });

    test("refuses an address that it does not know, which is a hard bounce in its words", async () => {
      const { events } = await rig.becomes(await rig.send(`gone@${plain}`), "bounced");
      expect(events.at(-1)?.metadata).toMatchObject({ bounce_type: "hard", ...unknown });
    });

    test("takes a subject outside ASCII", async () => {
      await rig.becomes(await rig.send(`subject@${plain}`, { subject: "Grüße" }), "delivered");
      await expectBothSignatures(await relayed(`subject@${plain}`));
    });

    it.skipIf(unavailable !== null || !hasSmtpUtf8)("takes an email to an address outside ASCII", async () => {
      await rig.becomes(await rig.send(`jörg@${plain}`, { subject: "Grüße" }), "delivered");
      await expectBothSignatures(await relayed(`jörg@${plain}`));
    });

    it.skipIf(unavailable !== null || hasSmtpUtf8)(
      "gets no email to an address outside ASCII, which is rejected because it cannot read that",
      async () => {
        const { events } = await rig.becomes(await rig.send(`jörg@${plain}`), "rejected");
        expect(events.at(-1)?.metadata).toMatchObject({ phase: "mail", dsn: "5.6.9" });
        expect(events.at(-1)?.metadata.response).toMatch(/does not support UTF-8 headers \(SMTPUTF8\)$/);
        expect(messagesTo(`jörg@${plain}`)).toEqual([]);
      },
    );
  });
});
