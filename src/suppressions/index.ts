export { releaseBouncesStatement } from "./release.ts";
export { type SuppressionEntry, suppressStatement } from "./suppress.ts";
