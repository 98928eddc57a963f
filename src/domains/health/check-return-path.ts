import type { Evidence } from "./evidence.ts";
import { type CheckResult, found, UNKNOWN } from "./finding.ts";
import { missingAction, valuesOf } from "./texts.ts";

/** Finds a return path that does not lead to this service. Without one the bounces still come, and SPF is not aligned. */
export function checkReturnPath({ dns, name }: Evidence): CheckResult {
  if (!dns || dns.returnPath.response.status === "temperror") return UNKNOWN;
  const { name: at, expected, response, others, doubled } = dns.returnPath;
  const values = response.values;
  if (values.length === 1 && values[0] === expected) return { findings: [] };
  const evidence = valuesOf(at, response);
  if (values.length > 0) {
    const isAppended = values.some((value) => value === `${expected}.${name}`);
    const problem = isAppended
      ? `The CNAME at ${at} leads to ${expected}.${name}: your DNS provider has added the domain to the value.`
      : `The CNAME at ${at} leads to ${values.join(" and ")}, not to ${expected}, so SPF of the domain's mail is not aligned.`;
    const action = isAppended
      ? `Change the value to "${expected}." with a dot at its end.`
      : `Change the CNAME record at ${at} to the value "${expected}" and delete others there.`;
    return found("return_path_elsewhere", { problem, action, evidence });
  }
  const isDoubled = doubled?.status === "ok" && doubled.values.length > 0;
  if (!isDoubled && (others === null || others.status === "temperror")) return UNKNOWN;
  if (others?.status === "ok" && others.values.length > 0) {
    const problem = `${at} has other records in place of a CNAME. Some DNS providers show an alias as addresses when they proxy it.`;
    const action = `Delete the other records at ${at} and publish a CNAME with the value "${expected}"; switch its proxy off ("DNS only").`;
    return found("return_path_no_cname", { problem, action, evidence: valuesOf(at, others) });
  }
  const problem = `The return path ${at} is missing. Bounces still come, but SPF of the domain's mail is not aligned, so that DMARC depends on DKIM alone.`;
  const action = missingAction({ type: "CNAME", at, value: expected, doubled, domain: name });
  return found("return_path_missing", { problem, action, evidence });
}
