import { expect, it } from "vitest";
import { parseSpf } from "../../../../src/mail/spf/parse.ts";

it.each([
  ["ip4:192.0.2.0/33", "the prefix of IPv4 has at most 32 bits"],
  ["ip6:2001:db8::/129", "the prefix of IPv6 has at most 128 bits"],
  ["ip4:2001:db8::1", "an address or network of IPv4 follows ip4:"],
  ["ip6:192.0.2.1", "an address or network of IPv6 follows ip6:"],
  ["a/33", "a domain or a prefix such as /24 or //64 follows a"],
  ["mx//129", "a domain or a prefix such as /24 or //64 follows mx"],
  ["include:", "a domain follows include: without a space"],
])("the error of %s says what is valid there", (term, words) => {
  expect(parseSpf(`v=spf1 ${term} -all`).errors).toEqual([`"${term}" is not valid: ${words}`]);
});
