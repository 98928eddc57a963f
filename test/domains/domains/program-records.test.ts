/** The SRV records by which mail programs find the servers of a domain. */
import { describe, expect, it } from "vitest";
import { toZoneFile } from "../../../src/domains/domains/index.ts";
import { replace } from "../../support/dns-control.ts";
import { publishRecords, register, statusesOf, verify } from "../../support/domains.ts";
import { apiOn, aWorkspace } from "../../support/workspace.ts";

const SETTINGS = {
  PUBLIC_URL: "https://mail.example.com",
  SMTP_HOST: "smtp.example.com",
  IMAP_HOST: "Imap.example.com",
};

/** Returns functions that call a deployment with IMAP for a new workspace. */
const aDeployment = async (settings: Record<string, string> = SETTINGS) => apiOn(settings, (await aWorkspace()).apiKey);

/** Registers a domain whose records are published, and checks it. */
async function aVerifiedDomain(api: Awaited<ReturnType<typeof aDeployment>>) {
  const registered = await register(api);
  await publishRecords(registered);
  return { registered, checked: (await verify(api, registered.id)).domain };
}

describe("the records of mail programs", () => {
  it("are listed as advice once mail of the domain comes here, with those that are not offered", async () => {
    const { registered, checked } = await aVerifiedDomain(await aDeployment());
    expect(registered.records.filter(({ purpose }) => purpose === "mail_programs")).toEqual([]);
    const records = checked.records.filter(({ purpose }) => purpose === "mail_programs");
    expect(
      records.map(
        ({ name, type, value, priority }) => `${name.replace(checked.name, "")} ${type} ${priority} ${value}`,
      ),
    ).toEqual([
      "_imaps._tcp. SRV 0 1 993 imap.example.com",
      "_imap._tcp. SRV 0 0 0 .",
      "_submissions._tcp. SRV 0 1 465 smtp.example.com",
      "_submission._tcp. SRV 0 1 587 smtp.example.com",
      "_autodiscover._tcp. SRV 0 1 443 mail.example.com",
    ]);
    for (const record of records) {
      expect(record).toMatchObject({ required: false, status: "pending", action: expect.stringContaining("Publish") });
      expect(record.explanation).toMatch(/^Lets mail programs/);
    }
    expect(checked.status).toBe("verified");
  });

  it("are checked, and never keep a domain from being verified", async () => {
    const api = await aDeployment();
    const { checked } = await aVerifiedDomain(api);
    const missing = (await verify(api, checked.id)).domain;
    expect([missing.status, statusesOf(missing).mail_programs]).toEqual(["verified", "missing"]);
    await publishRecords(missing, ["mail_programs"]);
    const found = (await verify(api, checked.id)).domain;
    expect([found.status, statusesOf(found).mail_programs]).toEqual(["verified", "verified"]);
    const name = `_imaps._tcp.${checked.name}`;
    await replace(name, [{ type: "SRV", name, value: "5 993 imap.elsewhere.test", priority: 0 }]);
    const changed = (await verify(api, checked.id)).domain;
    const record = changed.records.find((one) => one.name === name);
    expect(record).toMatchObject({ status: "mismatch", found: ["0 5 993 imap.elsewhere.test"] });
    expect(changed.status).toBe("verified");
  });

  it("are not listed where no IMAP is offered, nor Outlook's without HTTPS", async () => {
    const without = await aVerifiedDomain(await aDeployment({ ...SETTINGS, IMAP_HOST: "" }));
    expect(without.checked.records.filter(({ type }) => type === "SRV")).toEqual([]);
    const insecure = await aVerifiedDomain(await aDeployment({ ...SETTINGS, PUBLIC_URL: "http://mail.example.com" }));
    expect(insecure.checked.records.filter(({ type }) => type === "SRV")).toHaveLength(4);
  });

  it("are in the zone file with a final dot", async () => {
    const { checked } = await aVerifiedDomain(await aDeployment());
    const lines = toZoneFile(checked).split("\n");
    expect(lines).toContain(`_imaps._tcp.${checked.name}. IN SRV 0 1 993 imap.example.com.`);
    expect(lines).toContain(`_imap._tcp.${checked.name}. IN SRV 0 0 0 .`);
  });
});
