export { liquidLimits } from "./meter.ts";
export { LiquidTextError, type Parts, parseLiquid } from "./text.ts";
