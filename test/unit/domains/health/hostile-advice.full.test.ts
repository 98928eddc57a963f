import { expect, it } from "vitest";
import { adviseSpf } from "../../../../src/domains/health/advise-spf.ts";
import { checkDmarc } from "../../../../src/domains/health/check-dmarc.ts";
import type { DnsEvidence, Evidence } from "../../../../src/domains/health/evidence.ts";

const BYTES = 65_000;
const filled = (part: string) => part.repeat(BYTES / Buffer.byteLength(part));

it.each([
  ...[
    "a:",
    "a: ",
    "ip4:g",
    "include : ",
    "exp=a.test ",
    "-all",
    "/0",
    "/1",
    ".a",
    ".1-",
    "%{l",
    "%{l00",
    "a:1.",
    " ",
    "\ufdfa",
  ],
  ...["a:b.test/", "-", "v=spf1 ", "redirect=a.test ", "ip6:1:", "http://"],
])("an advice for a record of 65,000 bytes of %j takes less than a second", (part) => {
  const began = performance.now();
  for (const text of [`v=spf1 ${filled(part)}`, `v=spf1 a:${filled(part)}!`, `v=spf1 ip4:${filled(part)}:`])
    adviseSpf([text, text], "include:spf.mail.test");
  expect(performance.now() - began).toBeLessThan(1_000);
});

it.each(["a=", "a", "a=b,", "rua=a,", "; mailto:", "rua=mailto:a@b.test,", "p=none;", "x=1;", " "])(
  "an advice for DMARC of 65,000 bytes of %j takes less than a second",
  (part) => {
    const own = { status: "ok", values: [`v=dmarc1; ${filled(part)}`] };
    const began = performance.now();
    const dns = { dmarc: { own, doubled: null, authorizations: [] } } as unknown as DnsEvidence;
    checkDmarc({ dns, name: "shop.test", settings: {}, reportAddress: "r@mail.test" } as unknown as Evidence);
    expect(performance.now() - began).toBeLessThan(1_000);
  },
);
