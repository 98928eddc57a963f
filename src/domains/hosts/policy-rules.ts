import { DAY_MS, HOUR_MS } from "../../lib/time.ts";

/** Rules of the MTA-STS policies (docs/contract/domains.md#mta-sts). Pure; tests check each row of the tables. */

/** Modes of a policy (RFC 8461 5). */
export type PolicyMode = "testing" | "enforce" | "none";

/**
 * `enforce`, `testing`: an owner chooses it. `passed`: the test of 14 days has passed. `mx_lost`: the MX records no longer lead here, or
 * the domain is no longer verified, so that nobody looks. `mx_found`: they lead here.
 */
export type PolicyEvent = "enforce" | "testing" | "passed" | "mx_lost" | "mx_found";

/** The mode of a policy; `isHeld`: an owner chose testing, and the service does not enforce it by itself. */
export interface PolicyState {
  mode: PolicyMode;
  isHeld: boolean;
}

/** The state after an event: `keep` leaves the choice of the owner as it is. Null: the event is not possible. */
type PolicyStep = { to: PolicyMode; held: boolean | "keep" } | null;

const step = (to: PolicyMode, held: boolean | "keep" = "keep"): PolicyStep => ({ to, held });

/** The next state by mode and event. */
export const policySteps: Readonly<Record<PolicyMode, Readonly<Record<PolicyEvent, PolicyStep>>>> = {
  testing: {
    enforce: step("enforce", false),
    testing: step("testing", true),
    passed: step("enforce"),
    mx_lost: step("none"),
    mx_found: step("testing"),
  },
  enforce: {
    enforce: step("enforce"),
    testing: step("testing", true),
    passed: step("enforce"),
    mx_lost: step("none"),
    mx_found: step("enforce"),
  },
  // A domain whose mail comes back is tested anew.
  none: { enforce: null, testing: null, passed: step("none"), mx_lost: step("none"), mx_found: step("testing") },
};

/** Returns the state after an event, or null when the event is not possible. */
export function nextPolicy({ mode, isHeld }: PolicyState, event: PolicyEvent): PolicyState | null {
  if (isHeld && event === "passed") return { mode, isHeld };
  const next = policySteps[mode][event];
  return next && { mode: next.to, isHeld: next.held === "keep" ? isHeld : next.held };
}

/**
 * How long a sender keeps the policy of a mode, in seconds. RFC 8461 3.2 expects weeks of one that enforces; a day of the others, so that
 * the next one is fetched soon even where the id of a record was not changed.
 */
export const POLICY_SECONDS: Readonly<Record<PolicyMode, number>> = {
  testing: 86_400,
  enforce: 1_209_600,
  none: 86_400,
};

/** Time for a request that was being served when the mode changed, in ms. */
const MARGIN_MS = HOUR_MS;

/** How long a sender may keep a policy that enforces after it was served last, in ms. */
export const KEPT_MS = POLICY_SECONDS.enforce * 1_000 + MARGIN_MS;

/** Returns until when a sender may keep a policy that enforces, when the mode changes now; `before`: as it was known. Null: never. */
export const keptUntil = (mode: PolicyMode, before: number | null, now: number): number | null =>
  mode === "enforce" ? now + KEPT_MS : before;

/** Time for which a policy is tested before the service enforces it, in ms, and until it looks again. */
export const TEST_MS = 14 * DAY_MS;
export const RETEST_MS = DAY_MS;
/** Days of reports that a test looks at. */
export const TEST_DAYS = 14;

/** Why a policy is not enforced yet. `records`: a record or the host is not right. `findings`: the health of the domain has some about it. */
export type PolicyBlocker = "time" | "records" | "findings" | "no_report" | "failures";

/** The facts that a test of a policy looks at. Times in ms since 1970; `reports`: TLS reports that count, of the last TEST_DAYS days. */
export interface PolicyTest {
  since: number;
  now: number;
  isPublished: boolean;
  findings: readonly string[];
  reports: number;
  failures: number;
}

/** Findings of the doctor with which a policy would hold mail back (src/domains/health/codes.ts). */
const BLOCKING = /^(mta_sts_|tls_|mx_|host_failed)/;

/** Returns why a policy is not to be enforced, or null when its test has passed. */
export function blockerOf({ since, now, isPublished, findings, reports, failures }: PolicyTest): PolicyBlocker | null {
  if (now - since < TEST_MS) return "time";
  if (!isPublished) return "records";
  if (failures > 0) return "failures";
  if (reports === 0) return "no_report";
  return findings.some((code) => BLOCKING.test(code)) ? "findings" : null;
}

/** The sentence of each reason why a policy is not enforced after its test. */
export const blockerTexts: Readonly<Record<PolicyBlocker, string>> = {
  time: "It enforces by itself after 14 days, if a TLS report has come by then and none names a failure.",
  records: "It is not enforced by itself while one of its records or its host is not right.",
  findings: "It is not enforced by itself while the health of the domain names a problem with MX, TLS or this policy.",
  no_report: "It is not enforced by itself before a TLS report has come. None came in the last 14 days.",
  failures: "It is not enforced by itself, since TLS reports of the last 14 days name failures.",
};
