/** DANE (RFC 7672): TLSA records that a validating resolver says are secure decide to whom an email goes. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TlsaRecord } from "../../smtp-egress/dane/tlsa.ts";
import type { ScriptedServer } from "../support/scripted-smtp.ts";
import type { Script } from "../support/smtp-script.ts";
import { type Chain, makeChain, tlsaOf } from "./support/egress/chains.ts";
import { connectToEgress, handOver } from "./support/egress/hand-over.ts";
import { servePolicy } from "./support/egress/policy-server.ts";
import type { EgressRig } from "./support/egress/rig.ts";
import { egressRigs } from "./support/egress/rigs.ts";
import { startEgressProcess } from "./support/programs/egress-process.ts";
import { createAuthority, type TestAuthority } from "./support/test-authority.ts";

const aRig = egressRigs();
const HOST = "mx.one.test";
const TLSA = `_25._tcp.${HOST}`;
const STARTTLS = { capabilities: ["PIPELINING", "STARTTLS"] };
let folder: string;
let authority: TestAuthority;
let chain: Chain;
let strange: Chain;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "egress-dane-"));
  [authority, chain, strange] = await Promise.all([
    createAuthority(folder),
    makeChain(),
    makeChain({ names: ["strange.test"] }),
  ]);
});
afterAll(() => rm(folder, { recursive: true }));

/** Starts `one.test`, signed by DNSSEC, with a server that has these keys and TLSA records. */
async function start(keys: Chain, tlsa: TlsaRecord[], script: Script = STARTTLS) {
  const rig = await aRig({}, { usesDane: true });
  const server = await rig.receiver("one", script, keys);
  for (const name of ["one.test", HOST]) rig.zone[name] = { ...rig.zone[name], isSecure: true };
  rig.zone[TLSA] = { tlsa, isSecure: true };
  return { rig, server };
}

async function resultOf(rig: EgressRig, address = "a@one.test") {
  const known = rig.worker.resultsOf(address).length;
  await rig.handOver({ to: [address] });
  await expect.poll(() => rig.worker.resultsOf(address).length, { timeout: 10_000 }).toBeGreaterThan(known);
  return rig.worker.resultsOf(address).at(-1);
}

const eventsOf = (server: ScriptedServer) => server.transcript.map(({ event }) => event);
/** Expects that a server got neither the content of an email nor the addresses. */
function expectNothingSent(server: ScriptedServer) {
  expect(server.messages).toEqual([]);
  expect(server.transcript.filter(({ text }) => /^(MAIL|RCPT)/i.test(text))).toEqual([]);
}

describe("an email to a host with secure TLSA records", () => {
  it("goes to a server whose certificate a record of usage DANE-EE names, whatever its names", async () => {
    const { rig, server } = await start(strange, [tlsaOf(strange.leaf, 3, 1, 1)]);
    expect(await resultOf(rig)).toMatchObject({ kind: "accepted", relay: HOST });
    expect(eventsOf(server)).toContain("secure");
  });

  it("is deferred and not sent when the server has another certificate, and the result says why", async () => {
    const { rig, server } = await start(chain, [tlsaOf(strange.leaf, 3, 1, 1)]);
    expect(await resultOf(rig)).toMatchObject({
      ...{ kind: "deferred", phase: "tls", reply: null, relay: HOST },
      reason:
        "the TLS handshake failed: its certificate matches no TLSA record; the TLSA records of mx.one.test (DANE) require TLS",
    });
    expectNothingSent(server);
    expect(server.counters.connections).toBe(1);
  });

  it("goes to a server whose authority a record of usage DANE-TA names, by the name of its host", async () => {
    const { rig, server } = await start(chain, [tlsaOf(chain.root, 2, 0, 1)]);
    expect(await resultOf(rig)).toMatchObject({ kind: "accepted" });
    expect(eventsOf(server)).toContain("secure");
  });

  it("is deferred when that authority has certified another name only", async () => {
    const { rig, server } = await start(strange, [tlsaOf(strange.root, 2, 0, 1)]);
    const result = await resultOf(rig);
    expect(result).toMatchObject({ kind: "deferred", phase: "tls" });
    expect(result).toHaveProperty("reason", expect.stringContaining("none of the names mx.one.test, one.test"));
    expectNothingSent(server);
  });

  it.each([
    ["does not offer STARTTLS", "starttls", { capabilities: ["PIPELINING"] }],
    ["refuses STARTTLS", "starttls", { ...STARTTLS, starttls: "454 4.7.0 TLS not available" }],
    ["sends clear text in place of TLS", "starttls", { ...STARTTLS, starttls: { raw: "220 Go\r\nno TLS here\r\n" } }],
    [
      "closes the connection in place of TLS",
      "tls",
      { ...STARTTLS, starttls: { drop: true as const, reply: "220 Go" } },
    ],
  ])("is deferred and never sent in clear text when the server %s", async (_, phase, script) => {
    const { rig, server } = await start(chain, [tlsaOf(chain.leaf, 3, 1, 1)], script);
    const result = await resultOf(rig);
    expect(result).toMatchObject({ kind: "deferred", phase });
    expect(result).toHaveProperty("reason", expect.stringContaining("TLSA records of mx.one.test (DANE) require TLS"));
    expectNothingSent(server);
    expect(server.counters.connections).toBe(1);
  });

  it("needs TLS with any certificate when SMTP uses none of the records", async () => {
    const { rig, server } = await start(strange, [tlsaOf(chain.leaf, 1, 1, 1)]);
    expect(await resultOf(rig)).toMatchObject({ kind: "accepted" });
    expect(eventsOf(server)).toContain("secure");
    const clear = await start(strange, [tlsaOf(chain.leaf, 1, 1, 1)], { capabilities: ["PIPELINING"] });
    expect(await resultOf(clear.rig)).toMatchObject({ kind: "deferred", phase: "starttls" });
    expectNothingSent(clear.server);
  });

  it("whose sender waits for the reply gets the reason in it", async () => {
    const { rig } = await start(chain, [tlsaOf(strange.leaf, 3, 1, 1)]);
    const [result] = await rig.handOver({ to: ["a@one.test"], ticket: null });
    expect(result).toMatchObject({ kind: "deferred", reply: { code: 451 } });
    expect(result).toHaveProperty("reply.text", expect.stringContaining("matches no TLSA record"));
  });

  it("asks for them once within their TTL", async () => {
    const { rig } = await start(chain, [tlsaOf(chain.leaf, 3, 1, 1)]);
    await resultOf(rig);
    expect(await resultOf(rig)).toMatchObject({ kind: "accepted" });
    expect(rig.dns.questions.filter((name) => name === TLSA)).toHaveLength(1);
  });

  it("obeys new records after their TTL, also on a connection that was kept", async () => {
    const { rig, server } = await start(chain, [tlsaOf(chain.leaf, 3, 1, 1)]);
    rig.zone[TLSA] = { ...rig.zone[TLSA], ttl: 1 };
    expect(await resultOf(rig)).toMatchObject({ kind: "accepted" });
    rig.zone[TLSA] = { tlsa: [tlsaOf(strange.leaf, 3, 1, 1)], isSecure: true };
    await expect
      .poll(() => resultOf(rig), { timeout: 10_000, interval: 300 })
      .toMatchObject({ kind: "deferred", phase: "tls" });
    expect(server.counters.connections).toBe(2);
  });
});

describe("a failed look-up of TLSA records", () => {
  it.each([
    ["SERVFAIL", "SERVFAIL"],
    ["silent", "no response"],
    ["stranger", "no response"],
    ["garbage", "its response is malformed"],
  ] as const)("(%s) defers the email without a connection, and says so", async (fails, why) => {
    const { rig, server } = await start(chain, []);
    rig.zone[TLSA] = { fails, isSecure: true };
    const result = await resultOf(rig);
    expect(result).toMatchObject({ kind: "deferred", phase: "tls", reply: null, relay: HOST });
    const reason = `the TLSA records of mx.one.test (DANE) could not be looked up: ${why}`;
    expect(result).toHaveProperty("reason", expect.stringContaining(reason));
    expect(server.counters.connections).toBe(0);
  });

  it("excludes that host only", async () => {
    const { rig, server } = await start(chain, []);
    rig.zone[TLSA] = { fails: "SERVFAIL" };
    const second = await rig.receiver("two", STARTTLS);
    rig.zone["one.test"] = {
      mx: [
        [10, HOST],
        [20, "mx.two.test"],
      ],
      isSecure: true,
    };
    expect(await resultOf(rig)).toMatchObject({ kind: "accepted", relay: "mx.two.test" });
    expect(server.counters.connections).toBe(0);
    expect(second.messages).toHaveLength(1);
  });
});

describe("a truncated response", () => {
  it("is asked for again over TCP", async () => {
    const { rig, server } = await start(
      chain,
      Array.from({ length: 20 }, () => tlsaOf(strange.leaf, 3, 0, 0)),
    );
    rig.zone[TLSA] = { ...rig.zone[TLSA], fails: "truncated" };
    expect(await resultOf(rig)).toMatchObject({ kind: "deferred", phase: "tls" });
    expect(rig.dns.overTcp).toEqual([TLSA]);
    expectNothingSent(server);
  });
});

describe("TLSA records that are not secure", () => {
  it.each(["one.test", HOST, TLSA])("are ignored when the resolver has not validated %s", async (name) => {
    const { rig, server } = await start(chain, [tlsaOf(strange.leaf, 3, 1, 1)]);
    rig.zone[name] = { ...rig.zone[name], isSecure: false };
    expect(await resultOf(rig)).toMatchObject({ kind: "accepted" });
    expect(server.messages).toHaveLength(1);
  });

  it("are not even asked for, nor are secure ones without DANE_RESOLVER", async () => {
    const { rig } = await start(chain, [tlsaOf(strange.leaf, 3, 1, 1)]);
    rig.zone[HOST] = { ...rig.zone[HOST], isSecure: false };
    await resultOf(rig);
    expect(rig.dns.questions).not.toContain(TLSA);
    const without = await aRig();
    await without.receiver("one", STARTTLS, chain);
    without.zone[TLSA] = { tlsa: [tlsaOf(strange.leaf, 3, 1, 1)], isSecure: true };
    expect(await resultOf(without)).toMatchObject({ kind: "accepted" });
    expect(without.dns.questions).not.toContain(TLSA);
  });
});

describe("a host that is an alias", () => {
  const REAL = "real.two.test";
  async function startAlias(isTargetSecure: boolean, at: string, tlsa: TlsaRecord[]) {
    const { rig, server } = await start(chain, []);
    rig.zone[REAL] = { ...rig.zone[HOST], isSecure: isTargetSecure };
    rig.zone[HOST] = { cname: REAL, isSecure: true };
    delete rig.zone[TLSA];
    rig.zone[`_25._tcp.${at}`] = { tlsa, isSecure: true };
    return { rig, server };
  }

  it.each([
    ["its target", true, REAL],
    ["itself, when its target has none", true, HOST],
    ["itself, when its target is not secure", false, HOST],
  ])("is authenticated by the records of %s", async (_, isTargetSecure, at) => {
    const good = await startAlias(isTargetSecure, at, [tlsaOf(chain.leaf, 3, 1, 1)]);
    expect(await resultOf(good.rig)).toMatchObject({ kind: "accepted" });
    const wrong = await startAlias(isTargetSecure, at, [tlsaOf(strange.leaf, 3, 1, 1)]);
    expect(await resultOf(wrong.rig)).toMatchObject({ kind: "deferred", phase: "tls" });
    expectNothingSent(wrong.server);
  });
});

describe("another domain with the same host", () => {
  it("whose MX records are not secure gets its mail although DANE fails for the first", async () => {
    const { rig } = await start(chain, [tlsaOf(strange.leaf, 3, 1, 1)]);
    rig.zone["three.test"] = { mx: [[10, HOST]] };
    expect(await resultOf(rig)).toMatchObject({ kind: "deferred", phase: "tls" });
    expect(await resultOf(rig, "a@three.test")).toMatchObject({ kind: "accepted" });
    expect(await resultOf(rig)).toMatchObject({ kind: "deferred", phase: "tls" });
  });
});

describe("with an MTA-STS policy that is enforced", () => {
  async function startWithPolicy(keys: { key: string; cert: string }, tlsa: TlsaRecord[]) {
    const zone: EgressRig["zone"] = {};
    const policy = await servePolicy(zone, authority, { mode: "enforce", mx: HOST });
    const rig = await aRig({}, { usesDane: true, policyPort: policy.port, caFile: authority.file });
    const server = await rig.receiver("one", STARTTLS, keys);
    Object.assign(rig.zone, zone);
    for (const name of ["one.test", HOST]) rig.zone[name] = { ...rig.zone[name], isSecure: true };
    rig.zone[TLSA] = { tlsa, isSecure: true };
    const result = await resultOf(rig);
    policy.close();
    return { result, server };
  }

  it("usable TLSA records alone decide: a certificate of no authority passes, and one of an authority does not replace them", async () => {
    const passes = await startWithPolicy(strange, [tlsaOf(strange.leaf, 3, 1, 1)]);
    expect(passes.result).toMatchObject({ kind: "accepted" });
    const fails = await startWithPolicy(await authority.certify(HOST), [tlsaOf(strange.leaf, 3, 1, 1)]);
    expect(fails.result).toMatchObject({ kind: "deferred", phase: "tls" });
    expectNothingSent(fails.server);
  });

  it("the policy decides where no record is usable", async () => {
    const unusable = [tlsaOf(strange.leaf, 0, 1, 1)];
    const passes = await startWithPolicy(await authority.certify(HOST), unusable);
    expect(passes.result).toMatchObject({ kind: "accepted" });
    const fails = await startWithPolicy(strange, unusable);
    expect(fails.result).toMatchObject({ kind: "deferred", phase: "tls" });
    expect(fails.result).toHaveProperty("reason", expect.stringContaining("MTA-STS policy"));
    expectNothingSent(fails.server);
  });
});

describe("the program", () => {
  it("delivers by DANE, and counts answers and look-ups in its metrics", async () => {
    const { rig, server } = await start(chain, [tlsaOf(chain.leaf, 3, 1, 1)]);
    const egress = await startEgressProcess(programVariables(rig, rig.dns.server));
    const connection = await connectToEgress({ port: egress.ports[0] ?? 0 });
    await handOver(connection, { to: ["a@one.test"] });
    await expect.poll(() => rig.worker.resultsOf("a@one.test")).toMatchObject([{ kind: "accepted" }]);
    const metrics = await (await fetch(`http://127.0.0.1:${egress.healthPort}/metrics`)).text();
    await connection.close();
    await egress.stop();
    expect(eventsOf(server)).toContain("secure");
    // MX, A and TLSA are secure; AAAA and the TXT record of MTA-STS do not exist.
    expect(metrics).toMatch(/smtp_egress_dns_answers_total\{result="secure"\} [34]\n/);
    expect(metrics).toContain('smtp_egress_tlsa_lookups_total{result="usable"} 1\n');
  });

  it("does not start with a resolver of another machine, and says why", async () => {
    const rig = await aRig();
    const started = startEgressProcess(programVariables(rig, "192.0.2.1:53"));
    await expect(started).rejects.toThrow('DANE_RESOLVER is "192.0.2.1:53"; it must be a loopback address');
  });
});

const programVariables = ({ variables }: EgressRig, resolver: string) => ({
  ...variables,
  EGRESS_INSECURE_PORTS: "0",
  DNS_SERVERS: "",
  DANE_RESOLVER: resolver,
});
