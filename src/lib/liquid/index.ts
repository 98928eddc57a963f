export type { LiquidIssue } from "./issues.ts";
export { liquidLimits } from "./meter.ts";
export { type LiquidText, LiquidTextError, type Parts, parseLiquid } from "./text.ts";
