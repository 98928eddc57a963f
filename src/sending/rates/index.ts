export { checkRates } from "./check-rates.ts";
export { resumeBulk } from "./resume.ts";
export { holdStoppedStatements } from "./rows.ts";
export { type RateCounts, sumRates } from "./rules.ts";
