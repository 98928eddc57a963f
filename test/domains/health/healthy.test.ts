import { describe, expect, it } from "vitest";
import { publish, replace } from "../../support/dns-control.ts";
import { uniqueDomainName } from "../../support/domains.ts";
import { aWorkspace, perSuite } from "../../support/workspace.ts";
import { aPatient, type Patient, publishTxt } from "./support.ts";

const SPF = "include:spf.mail.test";
const workspace = perSuite(aWorkspace);

const report = (patient: Patient) => `rua=mailto:${patient.reportAddress}`;

/** Shapes of domains without a fault: how each differs from the records that the service recommends. */
const shapes: [name: string, shape: (patient: Patient) => Promise<unknown>][] = [
  ["the recommended records", async () => {}],
  [
    "mail received elsewhere",
    async (p) => {
      const hosts = ["aspmx.l.google.example", "alt1.aspmx.l.google.example"];
      await publish(
        hosts.map((name, n) => ({ type: n === 0 ? "A" : "AAAA", name, value: n === 0 ? "192.0.2.9" : "2001:db8::9" })),
      );
      await p.apex({
        mx: [
          ["10", "aspmx.l.google.example"],
          ["20", "alt1.aspmx.l.google.example"],
        ],
      });
    },
  ],
  ["no MX record and mailboxes that only send", (p) => p.apex({ mx: [] })],
  ["SPF with other services", (p) => p.apex({ spf: [`v=spf1 ip4:192.0.2.0/24 ip6:2001:db8::/32 ${SPF} ?all`] })],
  ["SPF in capital letters, with a plus and -all", (p) => p.apex({ spf: [`V=SPF1 +INCLUDE:spf.mail.test -ALL`] })],
  [
    "SPF that redirects",
    async (p) => {
      const target = uniqueDomainName();
      await publishTxt([target, `v=spf1 ${SPF} ~all`]);
      await p.apex({ spf: [`v=spf1 redirect=${target}`] });
    },
  ],
  [
    "SPF that includes the service by a record of its own",
    async (p) => {
      const target = `_spf.${p.name}`;
      await publishTxt([target, `v=spf1 ip4:192.0.2.7 ${SPF} -all`]);
      await p.apex({ spf: [`v=spf1 include:${target} ~all`] });
    },
  ],
  [
    "SPF with exactly ten look-ups and two names without addresses",
    async (p) => {
      const names = Array.from({ length: 7 }, uniqueDomainName);
      await publishTxt(...names.map((name): [string, string] => [name, "v=spf1 ip4:192.0.2.0/24 -all"]));
      const includes = names.map((name) => `include:${name}`).join(" ");
      await p.apex({ spf: [`v=spf1 ${SPF} ${includes} a:x1.${p.name} a:x2.${p.name} ~all`] });
    },
  ],
  [
    "SPF with macros, exists and an unknown modifier",
    (p) => p.apex({ spf: [`v=spf1 ${SPF} exists:%{i}._spf.${p.name} x-note=ours ~all`] }),
  ],
  [
    "other TXT records at the domain",
    (p) => p.apex({ spf: [`v=spf1 ${SPF} ~all`, "google-site-verification=abc", "MS=ms123", "spf record below"] }),
  ],
  [
    "DMARC with reject and several addresses",
    (p) => p.txt("dmarc", `v=DMARC1; p=reject; ${report(p)},mailto:dmarc@${p.name}!10m; adkim=s; aspf=r; fo=1`),
  ],
  [
    "DMARC without spaces and with a final semicolon",
    (p) => p.txt("dmarc", `v=DMARC1;p=quarantine;sp=reject;np=reject;t=y;${report(p)};`),
  ],
  ["DMARC with capital letters in the policy", (p) => p.txt("dmarc", `v=DMARC1; p=None; ${report(p)}`)],
  ["DMARC with reports of its own", (p) => p.txt("dmarc", `v=DMARC1; p=none; rua=mailto:postmaster@mail.${p.name}`)],
  [
    "DMARC with reports to an organisation that agreed",
    async (p) => {
      await publishTxt([`${p.name}._report._dmarc.analyzer.example`, "v=DMARC1"]);
      await p.txt("dmarc", `v=DMARC1; p=none; rua=mailto:x@analyzer.example,mailto:${p.reportAddress}`);
    },
  ],
  ["DMARC with other records at its name", (p) => p.txt("dmarc", `v=DMARC1; p=none; ${report(p)}`, "verification=abc")],
  [
    "DKIM by an alias",
    async (p) => {
      const { name, value } = p.record("dkim");
      const target = `${uniqueDomainName()}`;
      await publishTxt([target, value]);
      await replace(name, [{ type: "CNAME", name, value: target }]);
    },
  ],
  [
    "DKIM with spaces and other tags",
    (p) =>
      p.txt(
        "dkim",
        ` ${p
          .record("dkim")
          .value.replace("p=", "s=email; t=s; n=ours; p= ")
          .replace(/.{255}/, "$& ")};`,
      ),
  ],
  [
    "TLS reports without MTA-STS",
    (p) => publishTxt([`_smtp._tls.${p.name}`, "v=TLSRPTv1; rua=mailto:tls@example.net,https://example.net/tls"]),
  ],
  [
    "addresses and other records beside",
    (p) =>
      publish([
        { type: "A", name: `www.${p.name}`, value: "192.0.2.1" },
        { type: "CNAME", name: `blog.${p.name}`, value: "blogs.example" },
      ]),
  ],
];

describe("a healthy domain has no findings", () => {
  it.each(shapes)("%s", async (_, shape) => {
    const patient = await aPatient({ workspace });
    await shape(patient);
    expect(await patient.examine()).toMatchObject({ status: "ok", findings: [] });
    const domain = await (await workspace.get(`/v1/domains/${patient.domain.id}`)).json<{ health: string }>();
    expect(domain.health).toBe("ok");
  });

  it("a sub-domain with the DMARC record of its organization, and reports there", async () => {
    const organization = uniqueDomainName();
    const patient = await aPatient({ workspace, name: `mail.news.${organization}` });
    await patient.remove("dmarc");
    await publishTxt([`_dmarc.${organization}`, `v=DMARC1; p=reject; sp=none; rua=mailto:dmarc@${organization}`]);
    expect((await patient.examine()).findings).toEqual([]);
  });

  it("a domain whose SPF record has the addresses of the service in place of its name", async () => {
    await publishTxt(["spf.mail.test", "v=spf1 ip4:198.51.100.0/25 ip4:203.0.113.9 ip6:2001:db8:1::/64 -all"]);
    const patient = await aPatient({ workspace });
    const all = "ip4:198.51.100.0/24 ip4:203.0.113.9 ip6:2001:db8:1::/48";
    await patient.apex({ spf: [`v=spf1 ${all} ~all`] });
    expect((await patient.examine()).findings).toEqual([]);
    await patient.apex({ spf: ["v=spf1 ip4:198.51.100.0/24 ip6:2001:db8:1::/48 ~all"] });
    expect((await patient.examine()).findings.map(({ code }) => code)).toEqual(["spf_without_service"]);
  });
});
