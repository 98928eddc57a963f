import { describe, expect, it } from "vitest";
import { reportAddress } from "../../../src/domains/domains/index.ts";
import { KEPT_MS, POLICY_SECONDS } from "../../../src/domains/hosts/policy-rules.ts";
import { database } from "../../support/databases.ts";
import { replace, unpublish } from "../../support/dns-control.ts";
import { publishRecords, register, verify } from "../../support/domains.ts";
import { expectSince } from "../../support/expect-since.ts";
import { hostSettings } from "../../support/hostnames.ts";
import { aKey, apiOn, aWorkspace } from "../../support/workspace.ts";
import { aPolicy, contextIn, DAY, reportIn, rowOf, servedAt, setMode, testPoliciesIn } from "./policy-support.ts";
import { advanceIn, domainOf, verifyWith } from "./support.ts";

/** Before all that a test stores. */
const start = Date.now();
const addressOf = (id: string) => reportAddress(id, contextIn(0).settings.bounceDomain);

const remove = async ({ api, domainId }: Awaited<ReturnType<typeof aPolicy>>) =>
  expect((await api.call("DELETE", `/v1/domains/${domainId}?delete_mailboxes=true`)).status).toBe(204);

/** Publishes the records of the policy as the API lists them now, in place of those before. */
async function republish({ api, domainId }: Awaited<ReturnType<typeof aPolicy>>) {
  const domain = await domainOf(api, domainId);
  const record = domain.records.find(({ purpose }) => purpose === "mta_sts_id");
  await replace(record?.name ?? "", []);
  await publishRecords(domain, ["mta_sts_id"]);
}

const auditsOf = async (id: string) => {
  const sql =
    "SELECT user_id, detail FROM audit_log WHERE action = 'domain.mta_sts_changed' AND target_id = ?1 ORDER BY id";
  const { results } = await database.prepare(sql).bind(id).all<{ user_id: string | null; detail: string }>();
  return results.map(({ user_id: user, detail }) => ({
    by: user === null ? "service" : "user",
    ...JSON.parse(detail),
  }));
};

const noticesOf = async (workspace: number) => {
  const sql = "SELECT title FROM notifications WHERE workspace = ?1 AND title LIKE '%encrypted%' ORDER BY id";
  return (await database.prepare(sql).bind(workspace).all<{ title: string }>()).results.map(({ title }) => title);
};

describe("an owner", () => {
  it("enforces the policy, and its id, its age and the record to publish follow", async () => {
    const made = await aPolicy();
    const response = await setMode(made.api, made.domainId, "enforce");
    expect(await response.json()).toMatchObject({ mta_sts: { mode: "enforce", enforces_from: null } });
    expect(await servedAt(made.policyHost)).toEqual({
      ...{ mode: "enforce", mx: ["mx.mail.test"], maxAgeMs: POLICY_SECONDS.enforce * 1_000 },
    });
    const idOf = ({ records }: typeof made.domain) => records.find(({ purpose }) => purpose === "mta_sts_id");
    expect(idOf((await verifyWith(made.api, made.domainId)).domain)?.status).toBe("mismatch");
    await republish(made);
    const { domain } = await verifyWith(made.api, made.domainId);
    expect([idOf(domain)?.status, domain.health]).toEqual(["verified", "ok"]);
    expect(await auditsOf(made.domainId)).toEqual([{ by: "user", name: made.name, from: "testing", to: "enforce" }]);
    expect(await noticesOf(made.workspaceNumber)).toEqual([]);
  });

  it("goes back to testing, after which the service does not enforce it by itself", async () => {
    const made = await aPolicy();
    await setMode(made.api, made.domainId, "enforce");
    expect((await setMode(made.api, made.domainId, "testing")).status).toBe(200);
    await reportIn(10 * DAY, { to: addressOf(made.domainId), domain: made.name });
    await testPoliciesIn(15 * DAY);
    expect(await domainOf(made.api, made.domainId)).toMatchObject({
      mta_sts: { mode: "testing", enforces_from: null },
    });
    const kept = (await rowOf(made.policyHost))?.policy_kept_until ?? 0;
    expectSince(start, kept - KEPT_MS);
  });

  it("makes one change of two equal calls at once", async () => {
    const made = await aPolicy();
    const responses = await Promise.all([0, 1].map(() => setMode(made.api, made.domainId, "enforce")));
    expect(responses.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
    for (const { status } of responses) expect([200, 409]).toContain(status);
    expect(await auditsOf(made.domainId)).toHaveLength(1);
  });

  it("gets a 409 for a domain without a policy, 422 for another body, and 404 for a domain that is not theirs", async () => {
    const [made, other] = await Promise.all([aPolicy(), aWorkspace()]);
    const foreign = apiOn(hostSettings(), other.apiKey);
    expect((await setMode(foreign, other.domainId, "enforce")).status).toBe(409);
    for (const id of [made.domainId, crypto.randomUUID(), "x"])
      expect((await setMode(foreign, id, "enforce")).status, id).toBe(404);
    for (const body of [{}, { mta_sts: "none" }, { mta_sts: null }, { mode: "x" }])
      expect((await made.api.call("PATCH", `/v1/domains/${made.domainId}`, body)).status, JSON.stringify(body)).toBe(
        422,
      );
    expect(await servedAt(made.policyHost)).toMatchObject({ mode: "testing" });
  });

  it("needs the scope to manage domains", async () => {
    const made = await aPolicy();
    const key = await aKey(made, { scopes: ["domains:view"] });
    expect((await setMode(apiOn(hostSettings(), key), made.domainId, "enforce")).status).toBe(403);
  });

  it("cannot enforce a policy whose host is not active", async () => {
    const made = await aPolicy();
    await database.run("UPDATE custom_hosts SET status = 'failed' WHERE name = ?1", [made.policyHost]);
    expect((await setMode(made.api, made.domainId, "enforce")).status).toBe(409);
  });
});

describe("the service", () => {
  it("enforces a policy after 14 days with a report and no failure, and tells the owners", async () => {
    const made = await aPolicy();
    const [at] = (await domainOf(made.api, made.domainId)).mta_sts?.enforces_from?.match(/.*/) ?? [];
    expectSince(start, Date.parse(at ?? "") - 14 * DAY);
    expect(await reportIn(10 * DAY, { to: addressOf(made.domainId), domain: made.name })).toEqual(["counted"]);
    await testPoliciesIn(13 * DAY);
    expect(await servedAt(made.policyHost)).toMatchObject({ mode: "testing" });
    await Promise.all([testPoliciesIn(15 * DAY), testPoliciesIn(15 * DAY)]);
    expect(await servedAt(made.policyHost)).toMatchObject({ mode: "enforce" });
    expect(await auditsOf(made.domainId)).toEqual([{ by: "service", name: made.name, from: "testing", to: "enforce" }]);
    expect(await noticesOf(made.workspaceNumber)).toEqual([`Mail to ${made.name} must now be encrypted`]);
  });

  it("waits for the first report, and says so", async () => {
    const made = await aPolicy();
    await testPoliciesIn(15 * DAY);
    expect(await domainOf(made.api, made.domainId)).toMatchObject({
      mta_sts: { mode: "testing", detail: expect.stringContaining("before a TLS report has come") },
    });
    await reportIn(15 * DAY, { to: addressOf(made.domainId), domain: made.name });
    await testPoliciesIn(17 * DAY);
    expect(await servedAt(made.policyHost)).toMatchObject({ mode: "enforce" });
  });

  it("waits until the last failure is 14 days old", async () => {
    const made = await aPolicy();
    const to = addressOf(made.domainId);
    await reportIn(5 * DAY, { to, domain: made.name, failures: 1 });
    await testPoliciesIn(15 * DAY);
    expect((await rowOf(made.policyHost))?.policy_blocker).toBe("failures");
    await reportIn(16 * DAY, { to, domain: made.name });
    await testPoliciesIn(20 * DAY);
    expect(await servedAt(made.policyHost)).toMatchObject({ mode: "enforce" });
  });

  it("waits while the health of the domain names a problem with its MX records", async () => {
    const made = await aPolicy();
    const mx = ["mx.mail.test", "old.example"].map((value) => ({
      type: "MX" as const,
      name: made.name,
      value,
      priority: 10,
    }));
    await replace(made.name, mx);
    await verifyWith(made.api, made.domainId);
    await reportIn(10 * DAY, { to: addressOf(made.domainId), domain: made.name });
    await testPoliciesIn(15 * DAY);
    expect((await rowOf(made.policyHost))?.policy_blocker).toBe("findings");
    await setMode(made.api, made.domainId, "enforce");
    await verifyWith(made.api, made.domainId);
    const health = await (await made.api.get(`/v1/domains/${made.domainId}/health`)).json<{ findings: object[] }>();
    expect(health.findings).toContainEqual(
      expect.objectContaining({ code: "mta_sts_other_mx", action: expect.stringContaining("back to testing") }),
    );
  });

  it.each([
    ["that failed DMARC", { result: "fail" }],
    ["about another domain", { domain: "other.example" }],
  ])("does not count a report %s", async (_, change) => {
    const made = await aPolicy();
    await reportIn(10 * DAY, { to: addressOf(made.domainId), domain: made.name, ...change });
    await testPoliciesIn(15 * DAY);
    expect((await rowOf(made.policyHost))?.policy_blocker).toBe("no_report");
  });

  it("ends the policy of a domain whose MX records lead elsewhere, and tests it anew when they return", async () => {
    const made = await aPolicy();
    await setMode(made.api, made.domainId, "enforce");
    await replace(made.name, [{ type: "MX", name: made.name, value: "mx.elsewhere.example", priority: 10 }]);
    await verifyWith(made.api, made.domainId);
    expect(await servedAt(made.policyHost)).toEqual({ mode: "none", mx: [], maxAgeMs: 86_400_000 });
    expect(await noticesOf(made.workspaceNumber)).toEqual([`Mail to ${made.name} no longer has to be encrypted`]);
    expect((await setMode(made.api, made.domainId, "enforce")).status).toBe(409);
    await publishRecords(made.registered, ["mx"]);
    await verifyWith(made.api, made.domainId);
    expect(await domainOf(made.api, made.domainId)).toMatchObject({ mta_sts: { mode: "testing" } });
    expect((await rowOf(made.policyHost))?.policy_due_at).toBeGreaterThan(start + 13 * DAY);
  });
});

it("the policy of a domain ends when another workspace proves that it owns the domain above", async () => {
  const made = await aPolicy("sub.");
  await setMode(made.api, made.domainId, "enforce");
  const other = await aWorkspace();
  const above = await register(other, made.name.replace(/^sub\./, ""));
  await publishRecords(above, ["ownership", "dkim"]);
  expect((await verify(other, above.id)).domain.status).toBe("verified");
  expect((await domainOf(made.api, made.domainId)).status).toBe("failed");
  expect(await servedAt(made.policyHost)).toMatchObject({ mode: "none" });
  expect((await rowOf(made.policyHost))?.policy_kept_until).toBeGreaterThan(start + 13 * DAY);
});

it("the host of a Worker that knows no modes begins in testing", async () => {
  const host = `mta-sts.${crypto.randomUUID()}.example`;
  // As version 0.1.0 has it.
  const insert = `INSERT INTO custom_hosts (name, purpose, domain_id, workspace, status, problem, created_at, next_check_at)
    VALUES (?1, 'mta_sts', ?2, 1, 'pending', 'absent', ?3, ?3)`;
  await database.prepare(insert).bind(host, crypto.randomUUID(), Date.now()).run();
  expect(await servedAt(host)).toMatchObject({ mode: "testing" });
  expect((await rowOf(host))?.policy_due_at).toBeGreaterThan(start + 13 * DAY);
});

describe("the policy of a domain that is deleted", () => {
  it("is none until no sender keeps one that enforces, and then its host is removed", async () => {
    const made = await aPolicy();
    await setMode(made.api, made.domainId, "enforce");
    await remove(made);
    for (const ms of [0, DAY, 14 * DAY]) {
      await advanceIn(ms);
      expect(await servedAt(made.policyHost), `${ms}`).toEqual({ mode: "none", mx: [], maxAgeMs: 86_400_000 });
    }
    await advanceIn(KEPT_MS + DAY);
    await advanceIn(KEPT_MS + 2 * DAY);
    expect(await rowOf(made.policyHost)).toBeNull();
    expect(await servedAt(made.policyHost)).toBeNull();
  });

  it("is none for as long when it was enforced until a day before", async () => {
    const made = await aPolicy();
    await setMode(made.api, made.domainId, "enforce");
    await setMode(made.api, made.domainId, "testing");
    await remove(made);
    await advanceIn(DAY);
    expect((await rowOf(made.policyHost))?.next_check_at).toBeGreaterThan(start + 13 * DAY);
  });

  it("is removed at once when it was tested only", async () => {
    const made = await aPolicy();
    await remove(made);
    await advanceIn(DAY);
    await advanceIn(2 * DAY);
    expect(await rowOf(made.policyHost)).toBeNull();
  });

  it("begins anew, in testing, for another workspace that verifies the name meanwhile", async () => {
    const made = await aPolicy();
    await setMode(made.api, made.domainId, "enforce");
    await remove(made);
    await advanceIn(0);
    const other = await aWorkspace();
    const api = apiOn(hostSettings(), other.apiKey);
    const registered = await (await api.post("/v1/domains/", { name: made.name })).json<typeof made.domain>();
    await publishRecords(registered, ["ownership", "dkim"]);
    for (let n = 0; n < 3; n += 1) await verifyWith(api, registered.id);
    expect(await servedAt(made.policyHost)).toMatchObject({ mode: "testing" });
    expect(await rowOf(made.policyHost)).toMatchObject({ domain_id: registered.id, policy_is_held: 0 });
    await advanceIn(KEPT_MS + DAY);
    expect(await servedAt(made.policyHost)).toMatchObject({ mode: "testing" });
    // Senders may still know the policy of before, so it is ended as long when this domain is deleted too.
    expect((await rowOf(made.policyHost))?.policy_kept_until).toBeGreaterThan(start + 13 * DAY);
  });

  it("stays none when the workspace that verifies the name has its mail elsewhere", async () => {
    const made = await aPolicy();
    await setMode(made.api, made.domainId, "enforce");
    await remove(made);
    await unpublish(made.name);
    const other = await aWorkspace();
    const api = apiOn(hostSettings(), other.apiKey);
    const registered = await (await api.post("/v1/domains/", { name: made.name })).json<typeof made.domain>();
    await publishRecords(registered, ["ownership", "dkim"]);
    for (let n = 0; n < 2; n += 1) expect((await verifyWith(api, registered.id)).domain.status).toBe("verified");
    await advanceIn(0);
    expect(await servedAt(made.policyHost)).toMatchObject({ mode: "none" });
  });
});
