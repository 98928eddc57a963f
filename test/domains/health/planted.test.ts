/** Mistakes of customers and unusual, correct domains, which were written down before the checks were read. */

import { describe, expect, it } from "vitest";
import type { DomainOut } from "../../../src/domains/domains/schema.ts";
import { publish, replace } from "../../support/dns-control.ts";
import { publishRecords, uniqueDomainName } from "../../support/domains.ts";
import { apiOn, aWorkspace } from "../../support/workspace.ts";
import { aPatient, Patient, publishTxt } from "./support.ts";

interface Mistake {
  mistake: string;
  plant: (patient: Patient) => Promise<unknown>;
  code: string;
  /** Words that the problem and the action have for the customer to find the mistake. */
  says: RegExp[];
  setup?: "delegated";
}

const MISTAKES: Mistake[] = [
  {
    mistake: "a panel appended the domain to the full name of the DKIM record",
    plant: async (p) => {
      const { name, value } = p.record("dkim");
      await p.remove("dkim");
      await publishTxt([`${name}.${p.name}`, value]);
    },
    code: "dkim_missing",
    says: [/adds the domain/, /Enter "[^."]+\._domainkey" as its host/],
  },
  {
    mistake: "the first DKIM CNAME was copied to both selectors",
    plant: (p) => {
      const [first, second] = p.domain.records.filter(({ purpose }) => purpose === "dkim");
      if (!first || !second) throw new Error("two selectors expected");
      return replace(second.name, [{ type: "CNAME", name: second.name, value: first.value }]);
    },
    code: "dkim_other_key",
    says: [/CNAME/, /s2\./],
    setup: "delegated",
  },
  {
    mistake: "only the token of the ownership value was pasted",
    plant: (p) => p.txt("ownership", p.record("ownership").value.replace(/^.*=/, "")),
    code: "ownership_missing",
    says: [/svc-domain-verification=/],
  },
  {
    mistake: "two SPF values were pasted one after the other, so that all comes before the service",
    plant: (p) => p.apex({ spf: ["v=spf1 ip4:192.0.2.7 ~all v=spf1 include:spf.mail.test ~all"] }),
    code: "spf_without_service",
    says: [/\ball\b/, /before/i, /include:spf\.mail\.test/],
  },
  {
    mistake: "a space after include:",
    plant: (p) => p.apex({ spf: ["v=spf1 include: spf.mail.test ~all"] }),
    code: "spf_syntax",
    says: [/space/i, /include:/],
  },
  {
    mistake: "semicolons in SPF as in DKIM and DMARC",
    plant: (p) => p.apex({ spf: ["v=spf1; include:spf.mail.test; ~all"] }),
    code: "spf_syntax",
    says: [/semicolon/i, /space/i],
  },
  {
    mistake: "no final dot in a zone file, so that the return path leads below the domain",
    plant: (p) => {
      const { name, value } = p.record("return_path");
      return replace(name, [{ type: "CNAME", name, value: `${value}.${p.name}` }]);
    },
    code: "return_path_elsewhere",
    says: [/dot/i, /bounces\.mail\.test/],
  },
  {
    mistake: "the DMARC record is at the domain itself",
    plant: async (p) => {
      const { value } = p.record("dmarc");
      await p.remove("dmarc");
      await publishTxt([p.name, value]);
    },
    code: "dmarc_missing",
    says: [/_dmarc/, /move|wrong (?:name|place)|stands at/i],
  },
  {
    mistake: "a semicolon between two addresses of rua",
    plant: (p) => p.txt("dmarc", `v=DMARC1; p=none; rua=mailto:it@${p.name}; mailto:${p.reportAddress}`),
    code: "dmarc_syntax",
    says: [/comma/i, /mailto:/],
  },
  {
    mistake: "the priority is pasted into the host of the MX record",
    plant: async (p) => {
      const mailbox = { domain_id: p.domain.id, local_part: "desk" };
      expect((await p.workspace.post("/v1/mailboxes/", mailbox)).status).toBe(201);
      await p.apex({ mx: [["10", "10 mx.mail.test"]] });
    },
    code: "mx_wrong_name",
    says: [/priority/i, /mx\.mail\.test/],
  },
  {
    mistake: "a date with hyphens as the id of MTA-STS",
    plant: async (p) => {
      await publish([{ type: "A", name: `mta-sts.${p.name}`, value: "192.0.2.9" }]);
      await publishTxt([`_mta-sts.${p.name}`, "v=STSv1; id=2026-11-23;"]);
    },
    code: "mta_sts_invalid",
    says: [/\bid\b/, /letters|digits|hyphen/i],
  },
  {
    mistake: "a wrong version of TLS reports",
    plant: (p) => publishTxt([`_smtp._tls.${p.name}`, `v=TLSRPT1; rua=mailto:${p.reportAddress}`]),
    code: "tls_reports_syntax",
    says: [/v=TLSRPTv1/],
  },
  {
    mistake: "a panel appended the domain to the full name of the return path",
    plant: async (p) => {
      const { name, value } = p.record("return_path");
      await p.remove("return_path");
      await publish([{ type: "CNAME", name: `${name}.${p.name}`, value }]);
    },
    code: "return_path_missing",
    says: [/adds the domain/, /Enter "svc-bounces" as its host/],
  },
  {
    mistake: "a panel appended the domain to the name of the SPF record",
    plant: async (p) => {
      await p.apex({ spf: [] });
      await publishTxt([`${p.name}.${p.name}`, p.record("spf").value]);
    },
    code: "spf_missing",
    says: [/adds the domain/, /Enter "@"/],
  },
  {
    mistake: "MX and SPF records of another service at the name of the return path",
    plant: (p) => {
      const { name } = p.record("return_path");
      return replace(name, [
        { type: "MX", name, value: "feedback.other.example", priority: 10 },
        { type: "TXT", name, value: "v=spf1 include:other.example ~all" },
      ]);
    },
    code: "return_path_no_cname",
    says: [/Delete the other records/, /bounces\.mail\.test/],
  },
  {
    mistake: "a CNAME of the provider before at the selector",
    plant: (p) => {
      const { name } = p.record("dkim");
      return replace(name, [{ type: "CNAME", name, value: "s1.domainkey.u1.before.example" }]);
    },
    code: "dkim_missing",
    says: [/alias \(CNAME\) of s1\.domainkey\.u1\.before\.example/, /Delete the CNAME/],
  },
  {
    mistake: "a whole line of a zone file as the value of the DKIM record",
    plant: (p) => p.txt("dkim", `${p.record("dkim").name} TXT ${p.record("dkim").value}`),
    code: "dkim_tags",
    says: [/no name of a tag/, /Change the record to "v=DKIM1;/],
  },
  {
    mistake: "no-break spaces of a text processor in the DKIM record",
    plant: (p) => p.txt("dkim", p.record("dkim").value.replaceAll("; ", ";\u00a0")),
    code: "dkim_damaged",
    says: [/U\+00A0/],
  },
  {
    mistake: "a no-break space inside of the DKIM key",
    plant: (p) => p.txt("dkim", p.record("dkim").value.replace(/.{120}/, "$&\u00a0")),
    code: "dkim_damaged",
    says: [/U\+00A0/, /copy/],
  },
  {
    mistake: "no-break spaces of a text processor in the DMARC record",
    plant: (p) => p.txt("dmarc", `v=DMARC1;\u00a0p=none;\u00a0rua=mailto:${p.reportAddress}`),
    code: "dmarc_syntax",
    says: [/U\+00A0/, /by hand/],
  },
  {
    mistake: "typographic quotes around the DMARC record",
    plant: (p) => p.txt("dmarc", `“v=DMARC1; p=none; rua=mailto:${p.reportAddress}”`),
    code: "dmarc_syntax",
    says: [/Change it to "v=DMARC1; p=none; rua=mailto:[^"”]+"\./],
  },
  {
    mistake: "typographic quotes around the SPF record",
    plant: (p) => p.apex({ spf: ["“v=spf1 include:spf.mail.test ~all”"] }),
    code: "spf_syntax",
    says: [/Change it to "v=spf1 include:spf\.mail\.test ~all"\./],
  },
  {
    mistake: "a dash in place of the hyphen before all",
    plant: (p) => p.apex({ spf: ["v=spf1 include:spf.mail.test –all"] }),
    code: "spf_syntax",
    says: [/U\+2013/, /by hand/],
  },
  {
    mistake: "the tags of DMARC in another order",
    plant: (p) => p.txt("dmarc", `p=reject; v=DMARC1; rua=mailto:${p.reportAddress}`),
    code: "dmarc_syntax",
    says: [/begins with "v=DMARC1;"/, /"v=DMARC1; p=reject; rua=/],
  },
  {
    mistake: "a misspelled domain in the address for reports",
    plant: (p) => p.txt("dmarc", `v=DMARC1; p=none; rua=mailto:${p.reportAddress.replace("mail.test", "mial.test")}`),
    code: "dmarc_rua_not_authorized",
    says: [/misspelled/, /bounces\.mail\.test/],
  },
  {
    mistake: "two records for TLS reports",
    plant: async (p) => {
      const at = `_smtp._tls.${p.name}`;
      await publishTxt([at, `v=TLSRPTv1; rua=mailto:${p.reportAddress}`], [at, "v=TLSRPTv1; rua=mailto:x@old.example"]);
    },
    code: "tls_reports_syntax",
    says: [/one TXT record/],
  },
];

const HEALTHY: { shape: string; name?: string; plant: (patient: Patient) => Promise<unknown> }[] = [
  {
    shape: "an old ownership token beside the new one, and tokens of other services at the domain",
    plant: async (p) => {
      await p.txt("ownership", "svc-domain-verification=0123456789abcdef", p.record("ownership").value);
      await publishTxt([p.name, "google-site-verification=x9"], [p.name, "MS=ms12345"], [p.name, "spf2.0/pra ?all"]);
    },
  },
  {
    shape: "a DKIM key in groups, with a note and without a version",
    plant: (p) => {
      const key = /p=([^;]+)/.exec(p.record("dkim").value)?.[1] ?? "";
      return p.txt("dkim", `k=rsa ;n=ours; p=${key.match(/.{1,64}/g)?.join(" ")} ;`);
    },
  },
  {
    shape: "DMARC by a CNAME, reports to a company that agreed",
    plant: async (p) => {
      const [of, target] = [`_dmarc.${p.name}`, `policy.reports-${p.name}`];
      await replace(of, [{ type: "CNAME", name: of, value: target }]);
      await publishTxt(
        [target, `v=DMARC1;p=reject;rua=mailto:a@reports-${p.name}!10m;`],
        [`${p.name}._report._dmarc.reports-${p.name}`, "v=DMARC1;"],
      );
    },
  },
  {
    shape: "a sending subdomain that has the DMARC policy of the company",
    name: `news.${uniqueDomainName()}`,
    plant: async (p) => {
      const company = p.name.replace("news.", "");
      await p.remove("dmarc");
      await publishTxt([`_dmarc.${company}`, `v=DMARC1; p=reject; sp=quarantine; rua=mailto:postmaster@${company}`]);
    },
  },
  {
    shape: "SPF with an include whose record redirects to one with the service",
    plant: async (p) => {
      await publishTxt(
        [`_spf.${p.name}`, `v=spf1 redirect=_mail.${p.name}`],
        [`_mail.${p.name}`, "v=spf1 ip4:192.0.2.0/28 include:spf.mail.test -all"],
      );
      await p.apex({ spf: [`v=spf1 include:_spf.${p.name} ~all`] });
    },
  },
  {
    shape: "MX of another provider, and reports to two addresses",
    plant: async (p) => {
      await p.apex({
        mx: [
          ["1", `a.mx.${p.name}`],
          ["5", `b.mx.${p.name}`],
        ],
      });
      await publish(["a", "b"].map((host) => ({ type: "A", name: `${host}.mx.${p.name}`, value: "192.0.2.5" })));
      await p.txt("dmarc", `v=DMARC1 ; p=quarantine ; rua = mailto:it@${p.name} , mailto:${p.reportAddress}`);
    },
  },
];

/** Returns a domain with all CNAMEs published, before its first verification: until then both selectors are required. */
async function aDelegatedPatient(): Promise<Patient> {
  const workspace = await aWorkspace();
  // With what follows the response, which publishes the keys in the zone.
  const api = apiOn({}, workspace.apiKey);
  const response = await api.post("/v1/domains/", { name: uniqueDomainName(), setup: "delegated" });
  const domain = await response.json<DomainOut>();
  await publishRecords(domain);
  return new Patient(workspace, domain);
}

describe("a mistake is named, with the action that mends it", () => {
  it.each(MISTAKES)("$mistake", async ({ plant, code, says, setup }) => {
    const patient = setup === "delegated" ? await aDelegatedPatient() : await aPatient();
    await plant(patient);
    const { findings } = await patient.examine();
    const found = findings.filter((finding) => finding.code === code);
    expect(found, JSON.stringify(findings, null, 1)).toHaveLength(1);
    const text = found.map(({ problem, action }) => `${problem} ${action}`).join();
    for (const words of says) expect(text).toMatch(words);
  });
});

describe("an unusual, correct domain has no finding", () => {
  it.each(HEALTHY)("$shape", async ({ name, plant }) => {
    const patient = await aPatient(name === undefined ? {} : { name });
    await plant(patient);
    expect((await patient.examine()).findings).toEqual([]);
  });
});
