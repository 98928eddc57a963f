import { describe, expect, it } from "vitest";
import { parsePolicy, policyId } from "../../../smtp-egress/mta-sts-policy.ts";
import { mtaStsId, mtaStsPolicy } from "../../../src/domains/hosts/mta-sts.ts";
import { replace } from "../../support/dns-control.ts";
import { publishRecords } from "../../support/domains.ts";
import { aHostWorkspace, domainOf, requestAt, verifyWith } from "./support.ts";

const POLICY = "/.well-known/mta-sts.txt";

/** A domain whose mail comes here, with the records of its policy published and its host set up. */
async function withPolicy() {
  const made = await aHostWorkspace();
  await verifyWith(made.api, made.domainId);
  const domain = await domainOf(made.api, made.domainId);
  await publishRecords(domain, ["mta_sts", "mta_sts_id", "tls_reports"]);
  const { domain: checked } = await verifyWith(made.api, made.domainId);
  return { ...made, name: checked.name, checked };
}

const statusOf = ({ records }: Awaited<ReturnType<typeof domainOf>>, purpose: string) =>
  records.find((record) => record.purpose === purpose)?.status;

describe("the MTA-STS policy of a domain", () => {
  it("is offered once its mail comes here", async () => {
    const { registered, api, domainId } = await aHostWorkspace();
    expect(statusOf(registered, "mta_sts")).toBeUndefined();
    await verifyWith(api, domainId);
    expect(statusOf(await domainOf(api, domainId), "mta_sts")).toBe("pending");
  });

  it("is served at its host as the egress of this project reads it, in mode testing", async () => {
    const { name, checked } = await withPolicy();
    for (const purpose of ["mta_sts", "mta_sts_id", "tls_reports"])
      expect(statusOf(checked, purpose), purpose).toBe("verified");
    const response = await requestAt(`mta-sts.${name}`, POLICY);
    expect([response.status, response.headers.get("Content-Type")]).toEqual([
      200,
      expect.stringMatching(/^text\/plain/),
    ]);
    expect(parsePolicy(await response.text())).toEqual({ mode: "testing", mx: ["mx.mail.test"], maxAgeMs: 86_400_000 });
    const announced = checked.records.find(({ purpose }) => purpose === "mta_sts_id")?.value ?? "";
    expect(policyId([announced])).toBe(mtaStsId({ mxHost: "mx.mail.test" }, "testing"));
  });

  it("is a 404 at a host that no domain has, and at the host of the service", async () => {
    for (const host of [`mta-sts.${crypto.randomUUID()}.example`, "api.test"])
      expect((await requestAt(host, POLICY)).status, host).toBe(404);
  });

  it("is all that its host serves", async () => {
    const { name, apiKey } = await withPolicy();
    for (const path of ["/", "/v1/me", "/app", "/t/o/x", "/u/x", "/.well-known/oauth-authorization-server"])
      expect(
        (await requestAt(`mta-sts.${name}`, path, { headers: { Authorization: `Bearer ${apiKey}` } })).status,
        path,
      ).toBe(404);
  });

  it("has an id that changes with its text", () => {
    const ids = (["testing", "enforce", "none"] as const).flatMap((mode) =>
      ["a.example", "b.example"].map((mxHost) => mtaStsId({ mxHost }, mode)),
    );
    // A policy of mode none names no host.
    expect(new Set(ids).size).toBe(5);
    expect(mtaStsPolicy({ mxHost: "a.example" }, "enforce")).toContain("mx: a.example\r\n");
  });

  it("has a wrong record when there are two, or one with another id", async () => {
    const { api, domainId, name, checked } = await withPolicy();
    const value = checked.records.find(({ purpose }) => purpose === "mta_sts_id")?.value ?? "";
    const at = `_mta-sts.${name}`;
    for (const values of [["v=STSv1; id=1;"], [value, value]]) {
      await replace(
        at,
        values.map((text) => ({ type: "TXT", name: at, value: text })),
      );
      expect(statusOf((await verifyWith(api, domainId)).domain, "mta_sts_id")).toBe("mismatch");
    }
  });
});
