import type { Evidence } from "./evidence.ts";
import { type CheckResult, found, UNKNOWN } from "./finding.ts";
import { missingAction, valuesOf } from "./texts.ts";

/** Finds an ownership record that is gone. */
export function checkOwnership({ dns, name, status }: Evidence): CheckResult {
  if (!dns) return UNKNOWN;
  const { name: at, expected, response, doubled } = dns.ownership;
  // CNAMEs of a delegated domain prove it; the record is listed only while it moves to them.
  if (expected === "") return { findings: [] };
  if (response.status === "temperror") return UNKNOWN;
  const values = response.values.map((value) => value.trim());
  if (values.includes(expected)) return { findings: [] };
  const consequence =
    status === "verified"
      ? "After three daily checks without it the domain cannot send."
      : "Until it is there the domain cannot send.";
  const problem =
    values.length === 0
      ? `The ownership record of ${name} is missing.`
      : `The ownership record of ${name} has another value.`;
  return found("ownership_missing", {
    problem: `${problem} ${consequence}`,
    action: missingAction({ type: "TXT", at, value: expected, doubled, domain: name, isOther: values.length > 0 }),
    evidence: valuesOf(at, response),
  });
}
