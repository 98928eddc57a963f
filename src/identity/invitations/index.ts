export { inviteMember } from "./create.ts";
export { type InvitationRow, listInvitations } from "./queries.ts";
export { EXPIRED_KEPT_MS } from "./rules.ts";
export { InvitationIn } from "./schema.ts";
export { withdrawInvitation } from "./withdraw.ts";
