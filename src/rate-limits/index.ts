export { countExactly } from "./exact.ts";
export { decideCall, formatPolicy, hourlyPolicy, type RateDecision, type RatePolicy } from "./rules.ts";
export { findExceededPolicy } from "./shield.ts";
