/** The test suite of the SPF project for RFC 7208 (release 2014.04), by the names of its cases. */
import { describe, expect, it } from "vitest";
import { parseIp } from "../../../../src/lib/ip-addresses.ts";
import { covers } from "../../../../src/mail/spf/parse.ts";
import { type SpfEvaluation, walkSpf } from "../../../../src/mail/spf/walk.ts";
import { hostScenarios } from "./cases-hosts.ts";
import { limitScenarios, otherCases } from "./cases-limits.ts";
import { mechanismScenarios } from "./cases-mechanisms.ts";
import { modifierScenarios } from "./cases-modifiers.ts";
import { recordScenarios } from "./cases-records.ts";
import { lookUpIn, nameOf } from "./scenario.ts";

const scenarios = [recordScenarios, mechanismScenarios, hostScenarios, modifierScenarios, limitScenarios].flat();
const OF_ALL = { "+": "pass", "-": "fail", "~": "softfail", "?": "neutral" } as const;

/** Returns the bytes of a client; IPv4 in the form of IPv6 is IPv4 (RFC 7208 5). */
function clientBytes(text: string): number[] {
  const bytes = parseIp(text)?.toByteArray() ?? [];
  return /^::ffff:/i.test(text) ? bytes.slice(-4) : bytes;
}

/** Returns the result for a client, as far as the reader tells it without a message. */
function resultOf(found: SpfEvaluation, client: string) {
  if (found.errors.length > 0 || found.records.length > 1 || found.lookups > 10 || found.voids.length > 2)
    return "permerror";
  if (found.isIncomplete) return "temperror";
  if (found.records.length === 0) return "none";
  const bytes = clientBytes(client);
  return covers(found.networks, { bytes, bits: bytes.length * 8 }) ? "pass" : OF_ALL[found.all ?? "?"];
}

describe.each(scenarios)("$title", (scenario) => {
  const cases = scenario.cases.map(([name, section, at, right, options = {}]) => ({
    name,
    section,
    at,
    right,
    options,
  }));
  it.each(cases)("$name (RFC 7208 $section)", async ({ at, right, options }) => {
    const found = await walkSpf(lookUpIn(scenario), nameOf(at), "spf.mail.test");
    const result = resultOf(found, options.from ?? "1.2.3.4");
    if (options.by === undefined) expect([options.reader?.[0] ?? right].flat()).toContain(result);
    else expect(found).toMatchObject({ errors: [], isIncomplete: false });
    if (options.says) expect(found.errors.join("; ")).toMatch(options.says);
    if (options.lookups !== undefined) expect(found.lookups).toBe(options.lookups);
    if (options.voids !== undefined) expect(found.voids).toHaveLength(options.voids);
  });
});

it("has each of the 198 published cases once: those that are asked, and those that do not concern the reader", () => {
  const names = [...scenarios.flatMap(({ cases }) => cases.map(([name]) => name)), ...otherCases.map(([name]) => name)];
  expect(new Set(names).size).toBe(names.length);
  expect(names).toHaveLength(198);
});
