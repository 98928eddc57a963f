export { type Egress, egressOf } from "./egress.ts";
export { releaseLeases } from "./release-leases.ts";
export { deliver } from "./run.ts";
