export { checkRates } from "./check-rates.ts";
export { resumeBulk } from "./resume.ts";
export { waitStoppedStatement } from "./rows.ts";
export { type RateCounts, sumRates } from "./rules.ts";
