/** A record as a customer mistypes it, and the terms of the record that keeps every sender which it names, in their order. */
export type MistypedSpf = readonly [mistake: string, records: readonly string[], terms: string, leftOut?: string];

const MANY = Array.from({ length: 40 }, (_, n) => `ip4:192.0.2.${n}`).join(" ");
const TOO_MANY = Array.from({ length: 200 }, (_, n) => `ip4:198.51.100.${n}`).join(" ");

export const mistypedSpf: readonly MistypedSpf[] = [
  ["v= is missing", ["spf1 ip4:192.0.2.1 ~all"], "ip4:192.0.2.1 ~all"],
  ["the whole version is missing", ["include:a.test mx -all"], "include:a.test mx -all"],
  ["the version ends in a semicolon", ["v=spf1; ip4:192.0.2.1; -all"], "ip4:192.0.2.1 -all"],
  ["the version has blanks", ["v = spf1 ip4:192.0.2.1 -all"], "ip4:192.0.2.1 -all"],
  ["the version has a colon", ["v:spf1 ip4:192.0.2.1 -all"], "ip4:192.0.2.1 -all"],
  ["the version has no number", ["v=spf mx -all"], "mx -all"],
  ["no blank follows the version", ["v=spf1include:a.test -all"], "include:a.test -all"],
  ["commas separate the terms", ["v=spf1,include:a.test,ip4:192.0.2.1,~all"], "include:a.test ip4:192.0.2.1 ~all"],
  [
    "ipv4 is written for ip4",
    ["v=spf1 ipv4:192.0.2.0/24 ipv6:2001:db8::/32 ~all"],
    "ip4:192.0.2.0/24 ip6:2001:db8::/32 ~all",
  ],
  ["a blank follows ip4:", ["v=spf1 ip4: 192.0.2.1 ip4 :192.0.2.2 ~all"], "ip4:192.0.2.1 ip4:192.0.2.2 ~all"],
  ["addresses have no mechanism", ["v=spf1 192.0.2.1 2001:db8::1 -all"], "ip4:192.0.2.1 ip6:2001:db8::1 -all"],
  ["ip4 has an address of IPv6", ["v=spf1 ip4:2001:db8::1 ip6:192.0.2.1 -all"], "ip6:2001:db8::1 ip4:192.0.2.1 -all"],
  ["ip4 has the name of a host", ["v=spf1 ip4:mail.a.test -all"], "a:mail.a.test -all"],
  ["mx and a have an address", ["v=spf1 mx:192.0.2.1 a:192.0.2.2/28 -all"], "ip4:192.0.2.1 ip4:192.0.2.2/28 -all"],
  ["a prefix has a zero before it", ["v=spf1 ip4:192.0.2.0/024 a/08 -all"], "ip4:192.0.2.0/24 a/8 -all"],
  ["a prefix is too long", ["v=spf1 ip4:192.0.2.0/33 mx -all"], "mx -all", "ip4:192.0.2.0/33"],
  ["include has a URL", ["v=spf1 include:https://spf.a.test/ ~all"], "include:spf.a.test ~all"],
  ["include has a mail address", ["v=spf1 mx include:post@a.test ~all"], "mx ~all", "include:post@a.test"],
  ["include has an equals sign", ["v=spf1 include=a.test ~all"], "include:a.test ~all"],
  ["a has a wildcard", ["v=spf1 a:*.a.test ~all"], "a:*.a.test ~all"],
  ["-all stands twice", ["v=spf1 mx -all -all"], "mx -all"],
  ["-all stands in the middle", ["v=spf1 mx -all include:a.test"], "mx include:a.test -all"],
  ["two ends are glued together", ["v=spf1 mx ?all~all"], "mx ~all"],
  ["the end is glued to a term", ["v=spf1 include:a.test~all"], "include:a.test ~all"],
  ["everybody may send", ["v=spf1 mx +all"], "mx ~all"],
  [
    "there are two records",
    ["v=spf1 mx exp=a.test -all", "v=spf1 include:a.test exp=b.test ~all"],
    "mx exp=a.test include:a.test ~all",
  ],
  ["two records are one", ["v=spf1 mx ~all v=spf1 include:a.test ~all"], "mx include:a.test ~all"],
  ["all is in upper case", ["V=SPF1 IP4:192.0.2.1 INCLUDE:SPF.MAIL.TEST -ALL"], "ip4:192.0.2.1 -all"],
  ["quotes are typographic", ["“v=spf1 include:a.test ~all”"], "include:a.test ~all"],
  ["quotes and backslashes are in the value", ['"v=spf1 \\"include:a.test\\" ~all"'], "include:a.test ~all"],
  ["blanks do not break", ["v=spf1\u00a0include:a.test\u00a0~all"], "include:a.test ~all"],
  ["invisible characters and long hyphens are in it", ["v=spf1 inc\u200blude:a.test \u2212all"], "include:a.test -all"],
  ["redirect has a colon", ["v=spf1 redirect:a.test"], "redirect=a.test"],
  ["redirect stands beside all", ["v=spf1 mx redirect=a.test -all"], "mx include:a.test -all"],
  ["an include is empty", ["v=spf1 include: mx -all"], "mx -all", "include:"],
  ["it is longer than one string", [`v=spf1 ${MANY} ~all`], `${MANY} ~all`],
  ["it is longer than a TXT record", [`v=spf1 ${TOO_MANY} -all`], "~all"],
];
