/** The receiver of a domain, by its MX hosts. */
import { describe, expect, it } from "vitest";
import { receiverOf } from "../../../smtp-egress/receivers/receiver-of.ts";
import { receivers } from "../../../smtp-egress/receivers/table.ts";
import type { Receiver } from "../../../smtp-egress/receivers/types.ts";

/** Names of MX hosts that domains of these receivers publish. */
const hosts: Record<string, readonly string[]> = {
  google: [
    "gmail-smtp-in.l.google.com",
    "aspmx.l.google.com",
    "alt1.aspmx.l.google.com",
    "smtp.google.com",
    "aspmx2.googlemail.com",
  ],
  outlook: ["outlook-com.olc.protection.outlook.com", "hotmail-com.olc.protection.outlook.com"],
  "microsoft-365": ["contoso-com.mail.protection.outlook.com", "contoso-com.a-v1.mx.microsoft"],
  yahoo: ["mta5.am0.yahoodns.net", "mx-eu.mail.am0.yahoodns.net", "mailin-01.mx.aol.com"],
  apple: ["mx01.mail.icloud.com", "mx02.mail.icloud.com"],
  proton: ["mail.protonmail.ch", "mailsec.protonmail.ch", "mail.proton.ch"],
  zoho: ["mx.zoho.com", "smtpin.zoho.com", "mx2.zoho.eu", "mx.zoho.in"],
  fastmail: ["in1-smtp.messagingengine.com", "in2-smtp.messagingengine.com"],
  cloudflare: ["route1.mx.cloudflare.net", "isaac.mx.cloudflare.net"],
  rackspace: ["mx1.emailsrvr.com"],
  godaddy: ["smtp.secureserver.net", "mailstore1.europe.secureserver.net"],
  mimecast: ["eu-smtp-inbound-1.mimecast.com", "us-smtp-inbound-2.mimecast.com", "za-smtp-inbound-1.mimecast.co.za"],
  proofpoint: ["mxa-00123401.gslb.pphosted.com", "mx1-us1.ppe-hosted.com"],
  barracuda: ["d123456a.ess.barracudanetworks.com", "d123456.a.ess.de.barracudanetworks.com"],
  cisco: ["mx1.hc1234-56.iphmx.com", "mx2.hc1234-56.eu.iphmx.com"],
  symantec: ["cluster5.eu.messagelabs.com"],
  "trend-micro": ["example.in.tmes.trendmicro.com", "example.in.tmes.trendmicro.eu"],
  sophos: ["mx-01-eu-central-1.prod.hydra.sophos.com"],
  vade: ["mx01.oxsus-vadesecure.net"],
  hornetsecurity: ["mx01.hornetsecurity.com"],
  comcast: ["mx1.mxge.comcast.net", "mx1a1.comcast.net", "mx2h1.comcast.net"],
  charter: ["pkvw-mx.msg.pkvw.co.charter.net", "dnvrco-cmedge01.email.rr.com"],
  cox: ["cxr.mx.a.cloudfilter.net"],
  att: ["ff-ip4-mx-vip1.prodigy.net", "al-ip4-mx-vip2.prodigy.net"],
  uol: ["mx.uol.com.br"],
  gmx: ["mx00.gmx.net", "mx01.emig.gmx.net", "mx-ha02.web.de", "mx00.mail.com"],
  ionos: ["mx00.kundenserver.de", "mx01.ionos.de", "mx00.ionos.co.uk", "mx01.1and1.com"],
  "t-online": ["mx00.t-online.de", "mx03.t-online.de"],
  orange: ["smtp-in.orange.fr", "smtp-in.wanadoo.fr"],
  laposte: ["smtpz4.laposte.net"],
  free: ["mx1.free.fr", "mx2.free.fr"],
  sfr: ["smtp-in.sfr.fr"],
  ovh: ["mx1.mail.ovh.net", "mx3.mail.ovh.net"],
  gandi: ["spool.mail.gandi.net"],
  infomaniak: ["mta-gw.infomaniak.ch"],
  kpn: ["mx.kpnmail.nl"],
  libero: ["smtp-in.libero.it"],
  seznam: ["mx1.seznam.cz"],
  "mail-ru": ["mxs.mail.ru", "emx.mail.ru"],
  yandex: ["mx.yandex.ru", "mx.yandex.net"],
  rambler: ["inmx.rambler.ru"],
  qq: ["mx1.qq.com", "mxbiz1.qq.com"],
  netease: ["163mx01.mxmail.netease.com", "126mx02.mxmail.netease.com", "qiye163mx01.mxmail.netease.com"],
  "yahoo-japan": ["mx1.mail.yahoo.co.jp"],
  netvigator: ["mx1.netvigator.com"],
  naver: ["mx1.naver.com"],
  daum: ["mx1.daum.net", "mx1.hanmail.net"],
  docomo: ["mfsmax.docomo.ne.jp"],
};

const nameOf = (...mx: string[]) => receiverOf(mx).name;

describe("a known receiver", () => {
  it.each(receivers)("is found by the names of its MX hosts: $name", ({ name }) => {
    expect(hosts[name]?.length).toBeGreaterThan(0);
    expect(hosts[name]?.map((host) => nameOf(host))).toEqual(hosts[name]?.map(() => name));
  });

  it("is found by the host of the best preference, in any case and with a final dot", () => {
    expect(nameOf("ASPMX.L.GOOGLE.COM.", "mx1.example.net")).toBe("google");
    expect(nameOf("mx1.example.net", "aspmx.l.google.com")).toBe("example.net");
  });

  it("is not found by a host that only ends in the same letters", () => {
    expect(nameOf("mx.notgoogle.com")).toBe("notgoogle.com");
    expect(nameOf("mx.google.com.evil.example")).not.toBe("google");
  });

  it("has a name without a dot, a label that fits into a reply, and a name and suffixes of its own", () => {
    const names = receivers.map(({ name }) => name);
    const suffixes = receivers.flatMap(({ mxSuffixes }) => mxSuffixes);
    expect(names.filter((name) => !/^[a-z0-9-]{1,30}$/.test(name))).toEqual([]);
    expect(receivers.filter(({ label }) => /[():]/.test(label) || label.length > 40)).toEqual([]);
    expect(suffixes.filter((suffix) => !/^(\.[a-z0-9-]+){2,}$/.test(suffix))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
    expect(new Set(suffixes).size).toBe(suffixes.length);
  });
});

describe("the host of a customer", () => {
  it.each([
    "c-192-0-2-1.hsd1.ca.comcast.net",
    "cpe-192-0-2-1.socal.res.rr.com",
    "abordeaux-1.abo.wanadoo.fr",
    "vps-1234.vps.ovh.net",
    "ip-192-0-2-1.ip.secureserver.net",
    "other.mx.a.cloudfilter.net",
  ])("is not part of its provider: %s", (host) => {
    expect(receivers.map(({ name }) => name)).not.toContain(nameOf(host));
  });
});

describe("a mail system without an entry", () => {
  it.each([
    ["mx1.example.net", "example.net"],
    ["mx2.example.net", "example.net"],
    ["in.eu.mail.example.net", "eu.mail.example.net"],
    ["example.net", "example.net"],
    ["mx.example.co.uk", "example.co.uk"],
    // Its own MX host: the other domains below co.uk are no part of it.
    ["example.co.uk", "example.co.uk"],
    ["example.com.br", "example.com.br"],
    ["192.0.2.1", "192.0.2.1"],
    ["mail_in.example.net", "example.net"],
    ["mail.exa_mple.net", "exa-mple.net"],
    // Never the name of an entry.
    ["google", "google.local"],
    ["", ".local"],
  ])("is a receiver of its own: %s is %s", (host, name) => {
    expect(receiverOf([host])).toEqual({ name, label: name, mxSuffixes: [], limits: {}, rules: [] });
  });

  it("has a name of at most 100 characters", () => {
    expect(nameOf(`mx.${"a".repeat(60)}.${"b".repeat(60)}.example`)).toMatch(/^[a-z0-9.-]{1,100}$/);
  });
});

describe("a receiver of the operator", () => {
  const own: Receiver = { name: "own", label: "Own", mxSuffixes: [".google.com"], limits: {}, rules: [] };

  it("comes before the table", () => {
    expect(receiverOf(["aspmx.l.google.com"], [own])).toBe(own);
    expect(receiverOf(["aspmx2.googlemail.com"], [own]).name).toBe("google");
  });
});
