import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { fail, heal, publish, unpublish } from "../support/dns-control.ts";
import { aName, publishRecords, register, statusesOf, verify } from "../support/domains.ts";
import { aMail, aWorkspace, type TestWorkspace } from "../support/workspace.ts";

let ours: TestWorkspace;

beforeAll(async () => {
  ours = await aWorkspace();
});

const REQUIRED = ["ownership", "dkim"];
const everything = {
  ownership: "verified",
  dkim: "verified",
  spf: "verified",
  return_path: "verified",
  dmarc: "verified",
  mx: "verified",
};

describe("POST /v1/domains/{domain_id}/verify", () => {
  it("verifies a domain whose records are there, each with its status, and its mailboxes may send", async () => {
    const domain = await register(ours);
    const { id } = domain;
    const made = await ours.post("/v1/mailboxes/", { domain_id: id, local_part: "hello" });
    expect(made.status).toBe(201);
    const mail = aMail({ mailbox: `hello@${domain.name}` });
    expect((await ours.post("/v1/emails/", mail)).status).toBe(422);
    await publishRecords(domain);
    const { status, domain: after } = await verify(ours, id);
    expect(status).toBe(200);
    expect(after).toMatchObject({
      status: "verified",
      verified_at: expect.any(String),
      last_checked_at: expect.any(String),
    });
    expect(statusesOf(after)).toEqual(everything);
    expect((await ours.post("/v1/emails/", mail)).status).toBe(202);
  });

  it("asks for ownership and both DKIM records; the rest is advice", async () => {
    const domain = await register(ours);
    await publishRecords(domain, ["ownership"]);
    expect((await verify(ours, domain.id)).domain).toMatchObject({ status: "pending" });
    await publishRecords(domain, ["ownership", "dkim"]);
    const { domain: after } = await verify(ours, domain.id);
    expect(after.status).toBe("verified");
    expect(statusesOf(after)).toEqual({
      ownership: "verified",
      dkim: "verified",
      spf: "missing",
      return_path: "missing",
      dmarc: "missing",
      mx: "missing",
    });
  });

  it("says of each record whether it is missing or another", async () => {
    const domain = await register(ours);
    const [ownership, rsa] = domain.records;
    await publish([
      { type: "TXT", name: ownership?.name ?? "", value: "svc-domain-verification=somebody-elses" },
      { type: "TXT", name: rsa?.name ?? "", value: "v=DKIM1; k=rsa; p=AAAA" },
      { type: "TXT", name: domain.name, value: "v=spf1 -all" },
    ]);
    const { domain: after } = await verify(ours, domain.id);
    expect(after.status).toBe("pending");
    expect(after.records.map(({ purpose, status }) => `${purpose} ${status}`)).toEqual([
      "ownership mismatch",
      "dkim mismatch",
      "dkim missing",
      "spf mismatch",
      "return_path missing",
      "dmarc missing",
      "mx missing",
    ]);
  });

  for (const mode of ["servfail", "refused", "timeout", "truncated", "garbage", "http-error"] as const) {
    it(`changes nothing when DNS answers with ${mode}`, async () => {
      const domain = await register(ours);
      await publishRecords(domain);
      const [ownership] = domain.records;
      await fail(ownership?.name ?? "", mode);
      expect(await verify(ours, domain.id)).toEqual({ status: 200, domain });
      await heal(ownership?.name ?? "");
      const { domain: verified } = await verify(ours, domain.id);
      expect(verified.status).toBe("verified");
      await fail(ownership?.name ?? "", mode);
      expect(await verify(ours, domain.id)).toEqual({ status: 200, domain: verified });
    });
  }

  it("a verified domain stays verified when a look finds its records gone: only the daily check takes that away", async () => {
    const domain = await register(ours);
    await publishRecords(domain);
    await verify(ours, domain.id);
    await unpublish(domain.name);
    for (const { name } of domain.records) await unpublish(name);
    const { domain: after } = await verify(ours, domain.id);
    expect(after.status).toBe("verified");
    expect(statusesOf(after).ownership).toBe("missing");
  });

  it("gives a name to one of twenty workspaces that prove it in the same moment", async () => {
    const name = aName();
    const many = await Promise.all(Array.from({ length: 20 }, () => aWorkspace()));
    const domains = await Promise.all(many.map((workspace) => register(workspace, name)));
    await Promise.all(domains.map((domain) => publishRecords(domain, REQUIRED)));
    const answers = await Promise.all(many.map((workspace, index) => verify(workspace, domains[index]?.id ?? "")));
    const codes = answers.map(({ status }) => status).sort();
    expect(codes).toEqual([200, ...Array.from({ length: 19 }, () => 409)]);
    const { results } = await env.DB.prepare("SELECT id FROM domains WHERE name = ?1 AND status = 'verified'")
      .bind(name)
      .all();
    expect(results).toHaveLength(1);
  }, 120_000);

  it("keeps a verified name's parents and sub-domains from other workspaces, not from its own", async () => {
    const theirs = await aWorkspace();
    const name = aName();
    const taken = await register(ours, name);
    await publishRecords(taken);
    await verify(ours, taken.id);
    const below = await register(theirs, `mail.${name}`);
    await publishRecords(below);
    expect((await verify(theirs, below.id)).status).toBe(409);
    const own = await register(ours, `mail.${name}`);
    await publishRecords(own, REQUIRED);
    expect((await verify(ours, own.id)).status).toBe(200);
    const beside = await register(theirs, `x${name}`);
    await publishRecords(beside);
    expect((await verify(theirs, beside.id)).status).toBe(200);
    const inner = await register(theirs, `deep.down.${aName()}`);
    await publishRecords(inner);
    expect((await verify(theirs, inner.id)).status).toBe(200);
    const above = await register(ours, inner.name.split(".").slice(1).join("."));
    await publishRecords(above);
    expect((await verify(ours, above.id)).status).toBe(409);
  });

  it("a name that was given up may be proved by another workspace, and the old proof is worth nothing after", async () => {
    const theirs = await aWorkspace();
    const name = aName();
    const first = await register(ours, name);
    await publishRecords(first);
    await verify(ours, first.id);
    const second = await register(theirs, name);
    await publishRecords(second, REQUIRED);
    expect((await verify(theirs, second.id)).status).toBe(409);
    expect((await ours.call("DELETE", `/v1/domains/${first.id}`)).status).toBe(204);
    expect((await verify(theirs, second.id)).domain.status).toBe("verified");
    const again = await register(ours, name);
    expect((await verify(ours, again.id)).domain).toMatchObject({ status: "pending" });
  });
});
