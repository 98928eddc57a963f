export { type Egress, egressOf } from "./egress.ts";
export { deliver } from "./run.ts";
