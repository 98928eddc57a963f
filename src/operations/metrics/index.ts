export { saveCronRun } from "./cron-runs.ts";
