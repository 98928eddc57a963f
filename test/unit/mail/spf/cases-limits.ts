/** Published cases on processing limits (RFC 7208 4.6.4) and from errors of other software, and those that no reader of records meets. */
import type { SpfScenario } from "./scenario.ts";

const hosts = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => `A 1.2.3.${from + n}`);

export const limitScenarios: readonly SpfScenario[] = [
  {
    title: "Processing limits",
    zone: {
      mail: ["A 1.2.3.4"],
      e1: ["TXT v=spf1 ip4:1.1.1.1 redirect=e1.example.com", "A 1.2.3.6"],
      e2: ["TXT v=spf1 include:e3.example.com", "A 1.2.3.7"],
      e3: ["TXT v=spf1 include:e2.example.com", "A 1.2.3.8"],
      e4: [
        ...["TXT v=spf1 mx", "A 1.2.3.5", "MX 10 e4.example.com"],
        ...Array.from({ length: 10 }, (_, n) => `MX ${n} mail.example.com`),
      ],
      e5: ["TXT v=spf1 ptr", "A 1.2.3.5"],
      e6: ["TXT v=spf1 a mx a mx a mx a mx a ptr ip4:1.2.3.4 -all", "A 1.2.3.8", "MX 10 e6.example.com"],
      e7: ["TXT v=spf1 a mx a mx a mx a mx a ptr a ip4:1.2.3.4 -all", "A 1.2.3.20"],
      e8: ["TXT v=spf1 a include:inc.example.com ip4:1.2.3.4 mx -all", "A 1.2.3.4"],
      inc: ["TXT v=spf1 a a a a a a a a", "A 1.2.3.10"],
      e9: ["TXT v=spf1 a include:inc.example.com a ip4:1.2.3.4 -all", "A 1.2.3.21"],
      e10: ["TXT v=spf1 a -all", ...hosts(1, 12)],
      e11: ["TXT v=spf1 a:err.example.com a:err1.example.com a:err2.example.com ?all"],
      e12: ["TXT v=spf1 a:err.example.com a:err1.example.com ?all"],
    },
    cases: [
      ["redirect-loop", "4.6.4", "e1", "permerror", { says: /e1\.example\.com includes itself/ }],
      ["include-loop", "4.6.4", "e2", "permerror", { says: /e2\.example\.com includes itself/ }],
      ["mx-limit", "4.6.4", "e4", "permerror", { from: "1.2.3.5", says: /11 MX records/ }],
      ["ptr-limit", "4.6.4", "e5", ["neutral", "pass"], { from: "1.2.3.5", by: "ptr" }],
      ["false-a-limit", "4.6.4", "e10", "pass", { from: "1.2.3.12" }],
      ["mech-at-limit", "4.6.4", "e6", "pass", { lookups: 10 }],
      ["mech-over-limit", "4.6.4", "e7", "permerror", { lookups: 11 }],
      [
        "include-at-limit",
        "4.6.4",
        "e8",
        "pass",
        {
          lookups: 11,
          reader: [
            "permerror",
            "the evaluation of this client ends before the last mx; that of others has an 11th look-up",
          ],
        },
      ],
      ["include-over-limit", "4.6.4", "e9", "permerror", { lookups: 11 }],
      ["void-at-limit", "4.6.4", "e12", "neutral", { voids: 2 }],
      ["void-over-limit", "4.6.4", "e11", "permerror", { voids: 3 }],
    ],
  },
  {
    title: "Test cases from implementation bugs",
    zone: {
      "example.org": ["TXT v=spf1 mx redirect=_spf.example.com", "MX 10 smtp.example.org", "MX 10 smtp1.example.com"],
      "smtp.example.org": ["A 198.51.100.2", "AAAA 2001:db8:ff0:100::3"],
      smtp1: ["A 192.0.2.26", "AAAA 2001:db8:ff0:200::2"],
      "smtp6-v.fe.example.org": ["AAAA 2001:db8:ff0:100::2"],
      _spf: ["TXT v=spf1 ptr:fe.example.org ptr:sgp.example.com exp=_expspf.example.org -all"],
    },
    cases: [["bytes-bug", "5.4", "example.org", "pass", { from: "2001:db8:ff0:100::2", by: "ptr", lookups: 4 }]],
  },
];

/** Published cases that do not concern the reader, each with its reason. */
export const otherCases: readonly (readonly [name: string, section: string, reason: string])[] = [
  ["toolonglabel", "4.3", "The sender's domain has a label of 64 characters; such a domain cannot be registered."],
  ["emptylabel", "4.3", "The sender's domain has an empty label; such a domain cannot be registered."],
  ["helo-not-fqdn", "4.3", "The HELO is a single label; the reader gets names of registered domains only."],
  ["helo-domain-literal", "4.3", "The HELO is an address; the reader gets names of registered domains only."],
  ["domain-literal", "4.3", "The sender's domain is an address; the reader gets names of registered domains only."],
  ["exists-dnserr", "5", "The reader counts exists and does not look it up, so a timeout there says nothing."],
];
