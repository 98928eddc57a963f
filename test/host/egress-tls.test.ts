/** TLS to receivers: opportunistic (RFC 7435), or enforced by an MTA-STS policy (RFC 8461). */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ScriptedServer } from "../support/scripted-smtp.ts";
import { servePolicy } from "./support/egress/policy-server.ts";
import type { EgressRig } from "./support/egress/rig.ts";
import { egressRigs } from "./support/egress/rigs.ts";
import { createAuthority, type TestAuthority } from "./support/test-authority.ts";

const aRig = egressRigs();
const STARTTLS = ["PIPELINING", "STARTTLS"];
let folder: string;
let authority: TestAuthority;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "egress-tls-"));
  authority = await createAuthority(folder);
});
afterAll(() => rm(folder, { recursive: true }));

const eventsOf = (server: ScriptedServer) => server.transcript.map(({ event }) => event);
const resultOf = async (rig: EgressRig, address: string) => {
  await rig.handOver({ to: [address] });
  await expect.poll(() => rig.worker.resultsOf(address).length).toBeGreaterThan(0);
  return rig.worker.resultsOf(address)[0];
};

describe("without a policy", () => {
  it("an email goes through TLS where it is offered, with any certificate", async () => {
    const rig = await aRig();
    const server = await rig.receiver("one", { capabilities: STARTTLS });
    expect(await resultOf(rig, "a@one.test")).toMatchObject({ kind: "accepted" });
    expect(eventsOf(server)).toContain("secure");
  });

  it.each([
    ["the handshake fails", { starttls: { raw: "220 Go\r\nno TLS here\r\n" } }],
    ["STARTTLS is refused", { starttls: "454 4.7.0 TLS not available" }],
  ])("it goes through another connection in clear text when %s", async (_, script) => {
    const rig = await aRig();
    const server = await rig.receiver("one", { capabilities: STARTTLS, ...script });
    expect(await resultOf(rig, "a@one.test")).toMatchObject({ kind: "accepted" });
    expect(server.counters.connections).toBe(2);
  });
});

describe("with an MTA-STS policy", () => {
  /** Sends an email to `one.test`, whose policy and server are these, and returns its result. */
  async function send({
    mode = "enforce",
    mx = "*.one.test",
    names = ["mx.one.test"],
    policyName = "mta-sts.one.test",
  }) {
    // The port of the policy is known before the egress starts.
    const zone: EgressRig["zone"] = {};
    const policy = await servePolicy(zone, authority, { mode, mx, certified: policyName });
    const rig = await aRig({}, { policyPort: policy.port, caFile: authority.file });
    const server = await rig.receiver("one", { capabilities: STARTTLS }, await authority.certify(...names));
    Object.assign(rig.zone, zone);
    const result = await resultOf(rig, "a@one.test");
    policy.close();
    return { result, server, rig, fetched: policy.fetched };
  }

  it("an email goes to a host that it names, with a valid certificate", async () => {
    const { result, server, fetched, rig } = await send({});
    expect(result).toMatchObject({ kind: "accepted" });
    expect(eventsOf(server)).toContain("secure");
    await resultOf(rig, "b@one.test");
    expect(fetched).toEqual(["mta-sts.one.test/.well-known/mta-sts.txt"]);
  });

  it("it is deferred when the certificate is of another host", async () => {
    const { result, server } = await send({ names: ["other.test"] });
    expect(result).toMatchObject({ kind: "deferred", phase: "tls", relay: "mx.one.test" });
    expect(server.messages).toEqual([]);
  });

  it("it is deferred with a reason that the Worker takes when that certificate has very many names", async () => {
    const names = Array.from({ length: 100 }, (_, n) => `host-${n}.of-a-provider.other.test`);
    const { result } = await send({ names });
    expect(result).toMatchObject({ kind: "deferred", phase: "tls" });
    const { reason = "" } = result && "reason" in result ? result : {};
    expect(reason.length).toBeLessThan(1_000);
    expect(reason).toMatch(/altnames.*; the MTA-STS policy of the domain requires a valid certificate$/);
  });

  it("it is deferred when the policy names none of the hosts", async () => {
    const { result, server } = await send({ mx: "mail.other.test" });
    expect(result).toMatchObject({ kind: "deferred", phase: "tls" });
    expect(server.counters.connections).toBe(0);
  });

  it("it goes with any certificate when the policy only tests", async () => {
    const { result } = await send({ mode: "testing", names: ["other.test"] });
    expect(result).toMatchObject({ kind: "accepted" });
  });

  it("it goes with any certificate when the server of the policy has the certificate of another host", async () => {
    const { result, fetched } = await send({ names: ["other.test"], policyName: "other.test" });
    expect(result).toMatchObject({ kind: "accepted" });
    expect(fetched).toEqual([]);
  });
});
