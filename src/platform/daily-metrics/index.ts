export { addMetrics } from "./counters.ts";
export { readDailyMetrics, saveMetrics } from "./save.ts";
