export {
  beginDailyCount,
  countEmailsStatements,
  dailyLimitOf,
  findEmailsLeft,
  resetAt,
  toDailyLimitError,
  withSandboxLimit,
} from "./daily-emails.ts";
export { countExactly, countFailure, countTogether, rateError, requireExactly } from "./exact.ts";
export { findExceededPolicy } from "./find-exceeded-policy.ts";
export {
  decideCall,
  formatPolicy,
  hourlyPolicy,
  type RateDecision,
  type RatePolicy,
  withoutLastCall,
} from "./rules.ts";
