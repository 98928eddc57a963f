import { describe, expect, it } from "vitest";
import { publish, replace } from "../../support/dns-control.ts";
import { uniqueDomainName } from "../../support/domains.ts";
import { aWorkspace, perSuite } from "../../support/workspace.ts";
import { aPatient, type Patient, publishTxt } from "./support.ts";

const workspace = perSuite(aWorkspace);

const SPF = "include:spf.mail.test";

/** A fault in the records of a domain: how it comes about, the code of the finding, and a part of the action. */
type Fault = [name: string, plant: (patient: Patient) => Promise<unknown>, code: string, action: RegExp];

const manyIncludes = async (patient: Patient) => {
  const names = Array.from({ length: 9 }, () => uniqueDomainName());
  await publishTxt(...names.map((name): [string, string] => [name, "v=spf1 ip4:192.0.2.0/24 -all"]));
  const includes = names.map((name) => `include:${name}`).join(" ");
  await patient.apex({ spf: [`v=spf1 ${SPF} ${includes} a:${names[0]} ~all`] });
};

const faults: Fault[] = [
  [
    "no ownership record",
    (p) => p.remove("ownership"),
    "ownership_missing",
    /^Publish the TXT record at _svc-challenge\./,
  ],
  [
    "another ownership token",
    (p) => p.txt("ownership", "svc-domain-verification=1234"),
    "ownership_missing",
    /^Change the TXT record/,
  ],
  ["a DKIM record that is missing", (p) => p.remove("dkim"), "dkim_missing", /^Publish the TXT record at svc-r-/],
  [
    "a DKIM record with the domain twice in its name",
    async (p) => {
      const { name, value } = p.record("dkim");
      await p.remove("dkim");
      await publishTxt([`${name}.${p.name}`, value]);
    },
    "dkim_missing",
    /Enter "svc-r-[0-9a-f]{8}\._domainkey" as its host/,
  ],
  [
    "a DKIM value cut at 255 bytes",
    (p) => p.txt("dkim", p.record("dkim").value.slice(0, 255)),
    "dkim_cut",
    /whole value "v=DKIM1/,
  ],
  [
    "a DKIM value with quotes inside",
    (p) => p.txt("dkim", p.record("dkim").value.replace(/.{255}/, '$&" "')),
    "dkim_damaged",
    /without quotes/,
  ],
  [
    "a DKIM value without its first string",
    (p) => p.txt("dkim", `v=DKIM1; k=rsa; p=${p.record("dkim").value.slice(255)}`),
    "dkim_damaged",
    /whole value/,
  ],
  [
    "another DKIM key",
    (p) => p.txt("dkim", `v=DKIM1; k=rsa; p=${btoa("another key ".repeat(20))}`),
    "dkim_other_key",
    /^Change the TXT record/,
  ],
  ["a DKIM key that is revoked", (p) => p.txt("dkim", "v=DKIM1; k=rsa; p="), "dkim_revoked", /Publish the value/],
  [
    "two records at a selector",
    (p) => p.txt("dkim", p.record("dkim").value, "v=DKIM1; p="),
    "dkim_several",
    /^Delete the other records/,
  ],
  [
    "a DKIM record for tests",
    (p) => p.txt("dkim", p.record("dkim").value.replace("v=DKIM1;", "v=DKIM1; t=y;")),
    "dkim_testing",
    /Remove "t=y"/,
  ],
  [
    "a DKIM record for sha1",
    (p) => p.txt("dkim", `${p.record("dkim").value}; h=sha1`),
    "dkim_tags",
    /^Change the record/,
  ],
  [
    "no SPF record",
    (p) => p.apex({ spf: ["google-site-verification=1"] }),
    "spf_missing",
    /"v=spf1 include:spf\.mail\.test ~all"/,
  ],
  [
    "an SPF record without the service",
    (p) => p.apex({ spf: ["v=spf1 ip4:192.0.2.1 -all"] }),
    "spf_without_service",
    /"v=spf1 include:spf\.mail\.test ip4:192\.0\.2\.1 -all"/,
  ],
  [
    "the service after all",
    (p) => p.apex({ spf: [`v=spf1 ip4:192.0.2.1 -all ${SPF}`] }),
    "spf_without_service",
    /before "all"/,
  ],
  [
    "the service with a minus",
    (p) => p.apex({ spf: [`v=spf1 -${SPF} ~all`] }),
    "spf_without_service",
    /without a sign/,
  ],
  [
    "two SPF records",
    (p) => p.apex({ spf: [`v=spf1 ${SPF} ~all`, "v=spf1 ip4:192.0.2.1 -all"] }),
    "spf_several",
    /"v=spf1 include:spf\.mail\.test ip4:192\.0\.2\.1 ~all"/,
  ],
  ["eleven look-ups", manyIncludes, "spf_too_many_lookups", /Remove services/],
  [
    "three names that do not exist",
    (p) => p.apex({ spf: [`v=spf1 ${SPF} a:x1.${p.name} a:x2.${p.name} mx:x3.${p.name} ~all`] }),
    "spf_void_lookups",
    /x1\./,
  ],
  ["+all", (p) => p.apex({ spf: [`v=spf1 ${SPF} +all`] }), "spf_permits_all", /"~all"/],
  [
    "a misspelled mechanism",
    (p) => p.apex({ spf: [`v=spf1 ${SPF} inlcude:example.com ~all`] }),
    "spf_syntax",
    /inlcude/,
  ],
  [
    "commas between the terms",
    (p) => p.apex({ spf: [`v=spf1 ${SPF}, ip4:192.0.2.1 ~all`] }),
    "spf_syntax",
    /"v=spf1 include:spf\.mail\.test ip4:192\.0\.2\.1 ~all"/,
  ],
  [
    "an SPF record in quotes",
    (p) => p.apex({ spf: [`"v=spf1 ${SPF} ~all"`] }),
    "spf_syntax",
    /"v=spf1 include:spf\.mail\.test ~all"/,
  ],
  [
    "an include without a record",
    (p) => p.apex({ spf: [`v=spf1 ${SPF} include:gone.${p.name} ~all`] }),
    "spf_syntax",
    /gone\./,
  ],
  ["ptr", (p) => p.apex({ spf: [`v=spf1 ${SPF} ptr ~all`] }), "spf_ptr", /Remove "ptr"/],
  [
    "no return path",
    (p) => p.remove("return_path"),
    "return_path_missing",
    /^Publish the CNAME record at svc-bounces\./,
  ],
  [
    "a return path that leads elsewhere",
    (p) =>
      replace(p.record("return_path").name, [
        { type: "CNAME", name: p.record("return_path").name, value: "elsewhere.example" },
      ]),
    "return_path_elsewhere",
    /to the value "bounces\.mail\.test"/,
  ],
  [
    "a return path with the domain after its value",
    (p) =>
      replace(p.record("return_path").name, [
        { type: "CNAME", name: p.record("return_path").name, value: `bounces.mail.test.${p.name}` },
      ]),
    "return_path_elsewhere",
    /with a dot at its end/,
  ],
  [
    "a return path behind a proxy",
    (p) =>
      replace(p.record("return_path").name, [{ type: "A", name: p.record("return_path").name, value: "192.0.2.9" }]),
    "return_path_no_cname",
    /DNS only/,
  ],
  ["no DMARC record", (p) => p.remove("dmarc"), "dmarc_missing", /^Publish the TXT record at _dmarc\./],
  [
    "two DMARC records",
    (p) => p.txt("dmarc", "v=DMARC1; p=none", "v=DMARC1; p=reject"),
    "dmarc_several",
    /^Delete all but one/,
  ],
  ["a DMARC record without semicolon", (p) => p.txt("dmarc", "v=DMARC1 p=none"), "dmarc_syntax", /"v=DMARC1; p=none"/],
  [
    "a DMARC policy that does not exist",
    (p) => p.txt("dmarc", `v=DMARC1; p=rejected; rua=mailto:${p.reportAddress}`),
    "dmarc_syntax",
    /p=none, quarantine or reject/,
  ],
  [
    "a DMARC record without reports",
    (p) => p.txt("dmarc", "v=DMARC1; p=none"),
    "dmarc_no_reports",
    /rua=mailto:reports-/,
  ],
  ["rua without mailto", (p) => p.txt("dmarc", `v=DMARC1; p=none; rua=${p.reportAddress}`), "dmarc_syntax", /mailto/],
  [
    "rua of another organisation without its record",
    (p) => p.txt("dmarc", "v=DMARC1; p=none; rua=mailto:x@reports-elsewhere.example"),
    "dmarc_rua_not_authorized",
    /_report\._dmarc\.reports-elsewhere\.example/,
  ],
  [
    "rua of another domain here",
    (p) => p.txt("dmarc", "v=DMARC1; p=none; rua=mailto:reports-00000000000000000000000000000000@bounces.mail.test"),
    "dmarc_rua_of_other_domain",
    /Change the address in rua/,
  ],
  [
    "pct",
    (p) => p.txt("dmarc", `v=DMARC1; p=reject; pct=20; rua=mailto:${p.reportAddress}`),
    "dmarc_pct",
    /Remove pct/,
  ],
  [
    "open sub-domains",
    (p) => p.txt("dmarc", `v=DMARC1; p=reject; sp=none; rua=mailto:${p.reportAddress}`),
    "dmarc_subdomains_open",
    /sp=none/,
  ],
  [
    "open names that do not exist",
    (p) => p.txt("dmarc", `v=DMARC1; p=reject; np=none; rua=mailto:${p.reportAddress}`),
    "dmarc_subdomains_open",
    /Remove np=none/,
  ],
  [
    "MX records here and elsewhere",
    async (p) => {
      await publish([{ type: "A", name: "mx.elsewhere.example", value: "192.0.2.9" }]);
      await p.apex({
        mx: [
          ["10", "mx.mail.test"],
          ["20", "mx.elsewhere.example"],
        ],
      });
    },
    "mx_partly_elsewhere",
    /Delete the MX records with mx\.elsewhere\.example/,
  ],
  ["a null MX", (p) => p.apex({ mx: [["0", "."]] }), "mx_null", /Delete the MX record "0 \."/],
  [
    "an MX record with the domain after its value",
    (p) => p.apex({ mx: [["10", `mx.mail.test.${p.name}`]] }),
    "mx_wrong_name",
    /with a dot at its end/,
  ],
  [
    "an MX record with a host that does not exist",
    (p) => p.apex({ mx: [["10", `mail.${p.name}`]] }),
    "mx_host_missing",
    /Correct the name of the host/,
  ],
  ["an MX record with an address", (p) => p.apex({ mx: [["10", "192.0.2.7"]] }), "mx_address", /"10 mx\.mail\.test"/],
  [
    "an MX record with an alias",
    async (p) => {
      await publish([{ type: "CNAME", name: `mx.${p.name}`, value: "mx.mail.test" }]);
      await p.apex({ mx: [["10", `mx.${p.name}`]] });
    },
    "mx_alias",
    /to "10 mx\.mail\.test"/,
  ],
  [
    "an MTA-STS record without its host",
    async (p) => {
      await publishTxt(
        [`_mta-sts.${p.name}`, "v=STSv1; id=1"],
        [`_smtp._tls.${p.name}`, `v=TLSRPTv1; rua=mailto:${p.reportAddress}`],
      );
    },
    "mta_sts_host_missing",
    /Publish the host mta-sts\./,
  ],
  [
    "an MTA-STS record without id",
    (p) =>
      publishTxt(
        [`_mta-sts.${p.name}`, "v=STSv1"],
        [`_smtp._tls.${p.name}`, `v=TLSRPTv1; rua=mailto:${p.reportAddress}`],
      ),
    "mta_sts_invalid",
    /v=STSv1; id=/,
  ],
  [
    "a record for TLS reports without address",
    (p) => publishTxt([`_smtp._tls.${p.name}`, "v=TLSRPTv1;"]),
    "tls_reports_syntax",
    /rua=mailto:reports-/,
  ],
];

describe("one fault in the records of a healthy domain", () => {
  it.each(faults)("%s: is the only finding, with what to do", async (_, plant, code, action) => {
    const patient = await aPatient({ workspace });
    expect((await patient.examine()).findings).toEqual([]);
    await plant(patient);
    const { findings } = await patient.examine();
    expect(findings.map((one) => one.code)).toEqual([code]);
    expect(findings[0]?.action).toMatch(action);
    expect(findings[0]?.evidence).not.toEqual([]);
  });
});
