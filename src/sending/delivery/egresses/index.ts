export { type Egress, egressOf, type UnusableEgress } from "./egress.ts";
export { egressNamed, egressNames, findEgressIssues, isAnyHolding } from "./egresses.ts";
