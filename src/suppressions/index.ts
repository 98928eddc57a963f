export { type SuppressionEntry, suppressStatement } from "./suppress.ts";
