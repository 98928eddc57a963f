export { requireRightsOf } from "./change-role.ts";
export { endMembershipStatements } from "./end-membership.ts";
export { mayChange, roles } from "./rules.ts";
