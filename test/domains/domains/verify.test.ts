import { describe, expect, it } from "vitest";
import { database } from "../../support/databases.ts";
import { failQueries, publish, restoreQueries, unpublish } from "../../support/dns-control.ts";
import { publishRecords, register, statusesOf, uniqueDomainName, verify } from "../../support/domains.ts";
import { shortenTimeouts } from "../../support/short-timeouts.ts";
import { aMail, aWorkspace, perSuite } from "../../support/workspace.ts";

const workspace = perSuite(aWorkspace);

const REQUIRED = ["ownership", "dkim"];
const allVerified = {
  ownership: "verified",
  dkim: "verified",
  spf: "verified",
  return_path: "verified",
  dmarc: "verified",
  mx: "verified",
};

describe("POST /v1/domains/{domain_id}/verify", () => {
  it("verifies a domain whose records are published, reports each record's status, and permits its mailboxes to send", async () => {
    const domain = await register(workspace);
    const { id } = domain;
    const made = await workspace.post("/v1/mailboxes/", { domain_id: id, local_part: "hello" });
    expect(made.status).toBe(201);
    const mail = aMail({ mailbox: `hello@${domain.name}` });
    expect((await workspace.post("/v1/emails/", mail)).status).toBe(422);
    await publishRecords(domain);
    const { status, domain: after } = await verify(workspace, id);
    expect(status).toBe(200);
    expect(after).toMatchObject({
      status: "verified",
      verified_at: expect.any(String),
      last_checked_at: expect.any(String),
    });
    expect(statusesOf(after)).toEqual(allVerified);
    expect((await workspace.post("/v1/emails/", mail)).status).toBe(202);
  });

  it("requires ownership and both DKIM records; the others are optional", async () => {
    const domain = await register(workspace);
    await publishRecords(domain, ["ownership"]);
    expect((await verify(workspace, domain.id)).domain).toMatchObject({ status: "pending" });
    await publishRecords(domain, ["ownership", "dkim"]);
    const { domain: after } = await verify(workspace, domain.id);
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

  it("reports each record as missing or mismatch", async () => {
    const domain = await register(workspace);
    const [ownership, rsa] = domain.records;
    await publish([
      { type: "TXT", name: ownership?.name ?? "", value: "svc-domain-verification=another-token" },
      { type: "TXT", name: rsa?.name ?? "", value: "v=DKIM1; k=rsa; p=AAAA" },
      { type: "TXT", name: domain.name, value: "v=spf1 -all" },
    ]);
    const { domain: after } = await verify(workspace, domain.id);
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
    it(`changes nothing when DNS responds with ${mode}`, async () => {
      const domain = await register(workspace);
      await publishRecords(domain);
      const [ownership] = domain.records;
      await failQueries(ownership?.name ?? "", mode);
      if (mode === "timeout") shortenTimeouts(1_000);
      expect(await verify(workspace, domain.id)).toEqual({ status: 200, domain });
      await restoreQueries(ownership?.name ?? "");
      const { domain: verified } = await verify(workspace, domain.id);
      expect(verified.status).toBe("verified");
      await failQueries(ownership?.name ?? "", mode);
      expect(await verify(workspace, domain.id)).toEqual({ status: 200, domain: verified });
    });
  }

  it("a verified domain stays verified when its records are missing: only the daily check ends a verification", async () => {
    const domain = await register(workspace);
    await publishRecords(domain);
    await verify(workspace, domain.id);
    await unpublish(domain.name);
    for (const { name } of domain.records) await unpublish(name);
    const { domain: after } = await verify(workspace, domain.id);
    expect(after.status).toBe("verified");
    expect(statusesOf(after).ownership).toBe("missing");
  });

  it("verifies a name for one of twenty workspaces that verify it concurrently", async () => {
    const name = uniqueDomainName();
    const many = await Promise.all(Array.from({ length: 20 }, () => aWorkspace()));
    const domains = await Promise.all(many.map((workspace) => register(workspace, name)));
    await Promise.all(domains.map((domain) => publishRecords(domain, REQUIRED)));
    const responses = await Promise.all(many.map((workspace, index) => verify(workspace, domains[index]?.id ?? "")));
    const codes = responses.map(({ status }) => status).sort();
    expect(codes).toEqual([200, ...Array.from({ length: 19 }, () => 409)]);
    const results = await database.rows("SELECT id FROM domains WHERE name = ?1 AND status = 'verified'", [name]);
    expect(results).toHaveLength(1);
  }, 120_000);

  it("refuses a verified name's sub-domains to other workspaces, not to its own, and lets a parent take precedence", async () => {
    const otherWorkspace = await aWorkspace();
    const name = uniqueDomainName();
    const taken = await register(workspace, name);
    await publishRecords(taken);
    await verify(workspace, taken.id);
    const below = await register(otherWorkspace, `mail.${name}`);
    await publishRecords(below);
    expect((await verify(otherWorkspace, below.id)).status).toBe(409);
    const own = await register(workspace, `mail.${name}`);
    await publishRecords(own, REQUIRED);
    expect((await verify(workspace, own.id)).status).toBe(200);
    const beside = await register(otherWorkspace, `x${name}`);
    await publishRecords(beside);
    expect((await verify(otherWorkspace, beside.id)).status).toBe(200);
    const inner = await register(otherWorkspace, `deep.down.${uniqueDomainName()}`);
    await publishRecords(inner);
    expect((await verify(otherWorkspace, inner.id)).status).toBe(200);
    const above = await register(workspace, inner.name.split(".").slice(1).join("."));
    await publishRecords(above);
    expect((await verify(workspace, above.id)).status).toBe(200);
    expect(await (await otherWorkspace.get(`/v1/domains/${inner.id}`)).json()).toMatchObject({ status: "failed" });
  });

  it("a deleted name can be verified by another workspace, and its old token is no longer valid", async () => {
    const otherWorkspace = await aWorkspace();
    const name = uniqueDomainName();
    const first = await register(workspace, name);
    await publishRecords(first);
    await verify(workspace, first.id);
    const second = await register(otherWorkspace, name);
    await publishRecords(second, REQUIRED);
    expect((await verify(otherWorkspace, second.id)).status).toBe(409);
    expect((await workspace.call("DELETE", `/v1/domains/${first.id}`)).status).toBe(204);
    expect((await verify(otherWorkspace, second.id)).domain.status).toBe("verified");
    const again = await register(workspace, name);
    expect((await verify(workspace, again.id)).domain).toMatchObject({ status: "pending" });
  });
});
