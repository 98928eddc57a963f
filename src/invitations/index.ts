export { acceptStatements } from "./accept.ts";
export { getInvitation, type Invitation } from "./queries.ts";
export { EXPIRED_KEPT_MS } from "./rules.ts";
