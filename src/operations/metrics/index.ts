export { saveCronRun } from "./cron-runs.ts";
export { readReadiness } from "./readiness.ts";
export type { Readiness } from "./rules.ts";
