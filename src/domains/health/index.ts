export { BLOCKS, POLICY } from "./check-delivery.ts";
export { evaluateHealth, evaluateReports } from "./evaluate.ts";
export { verifyAndExamine } from "./get.ts";
export { type HealthOut, toHealth } from "./schema.ts";
