/** DANE with Unbound from Debian, which validates a zone that the test signs. */
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../mail-gateway/clock.ts";
import { SecureDns } from "../../smtp-egress/dane/secure-dns.ts";
import type { TlsaRecord } from "../../smtp-egress/dane/tlsa.ts";
import { type Chain, makeChain, tlsaOf } from "./support/egress/chains.ts";
import { egressRigs } from "./support/egress/rigs.ts";
import type { RunningServer } from "./support/mail-servers/server.ts";
import { startUnbound, unboundUnavailable } from "./support/mail-servers/unbound.ts";

const aRig = egressRigs();
/** Address of the first receiver of a rig. */
const ADDRESS = "127.0.0.10";
/** More than a response over UDP has room for. */
const MANY = 60;

const textOf = ({ usage, selector, matchingType, certificate }: TlsaRecord) =>
  `TLSA ${usage} ${selector} ${matchingType} ${certificate.toString("hex")}`;

describe.skipIf(unboundUnavailable() !== null)("with Unbound as the resolver", () => {
  let folder: string;
  let unbound: RunningServer & { port: number };
  let chain: Chain;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "egress-unbound-"));
    chain = await makeChain();
    const right = textOf(tlsaOf(chain.leaf, 3, 1, 1));
    const wrong = textOf({ ...tlsaOf(chain.leaf, 3, 1, 1), certificate: Buffer.alloc(32, 1) });
    const host = (name: string, ...tlsa: string[]) => [
      `${name} IN MX 10 mx-${name}`,
      `mx-${name} IN A ${ADDRESS}`,
      ...tlsa.map((record) => `_25._tcp.mx-${name} IN ${record}`),
    ];
    const many = Array.from({ length: MANY }, (_, n) => `TLSA 3 1 2 ${n.toString(16).padStart(128, "0")}`);
    const records = [
      ...[...host("right", right), ...host("wrong", wrong), ...host("broken", right), ...host("many", ...many)],
      ...["alias IN MX 10 other", "other IN CNAME mx-wrong", ...host("none")],
    ];
    unbound = await startUnbound({ folder, records, broken: "mx-broken.signed.test" });
    console.info(`unbound ${unbound.version}`);
  });
  afterAll(async () => {
    await unbound?.stop();
    await rm(folder, { recursive: true });
  });

  it.each([
    ["right.signed.test", { kind: "accepted" }, true],
    ["none.signed.test", { kind: "accepted" }, true],
    ["wrong.unsigned.test", { kind: "accepted" }, true],
    ["wrong.signed.test", { kind: "deferred", phase: "tls", relay: "mx-wrong.signed.test" }, false],
    ["alias.signed.test", { kind: "deferred", phase: "tls", relay: "other.signed.test" }, false],
    ["many.signed.test", { kind: "deferred", phase: "tls", relay: "mx-many.signed.test" }, false],
    [
      "broken.signed.test",
      {
        ...{ kind: "deferred", phase: "tls", relay: "mx-broken.signed.test" },
        reason: "the TLSA records of mx-broken.signed.test (DANE) could not be looked up: SERVFAIL",
      },
      false,
    ],
  ])("an email to %s is %o", async (domain, result, isSent) => {
    const rig = await aRig({}, { daneResolver: { address: "127.0.0.1", port: unbound.port } });
    const server = await rig.receiver("one", { capabilities: ["PIPELINING", "STARTTLS"] }, chain);
    await rig.handOver({ to: [`a@${domain}`] });
    await expect.poll(() => rig.worker.resultsOf(`a@${domain}`), { timeout: 10_000 }).toMatchObject([result]);
    expect(server.messages).toHaveLength(isSent ? 1 : 0);
  });

  it("answers are secure in the signed zone only, also that a name does not exist", async () => {
    const dns = new SecureDns({ address: "127.0.0.1", port: unbound.port }, systemClock);
    expect(await dns.mx("right.signed.test")).toMatchObject({ isSecure: true });
    expect(await dns.mx("nowhere.signed.test")).toEqual({ records: [], isSecure: true });
    expect(await dns.mx("right.unsigned.test")).toMatchObject({ isSecure: false });
    expect(await dns.addresses("mx-right.unsigned.test")).toMatchObject({ addresses: [ADDRESS], tlsaBases: [] });
    const { isSecure, ms } = await dns.tlsa("_25._tcp.mx-many.signed.test");
    expect(isSecure).toBe(true);
    // Unbound tells the rest of the TTL.
    expect(ms).toBeGreaterThan(0);
    expect(ms).toBeLessThanOrEqual(300_000);
    expect(dns.counts).toMatchObject({ failed: 0 });
  });
});
