export { countExactly } from "./exact.ts";
export { findExceededPolicy } from "./find-exceeded-policy.ts";
export { decideCall, formatPolicy, hourlyPolicy, type RateDecision, type RatePolicy } from "./rules.ts";
