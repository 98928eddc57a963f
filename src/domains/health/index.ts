export { findingCodes } from "./codes.ts";
export { evaluateHealth, evaluateReports } from "./evaluate.ts";
export { getHealth, verifyAndExamine } from "./get.ts";
export { type HealthOut, toHealth } from "./schema.ts";
