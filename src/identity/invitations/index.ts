export { acceptReceivedInvitation } from "./accept.ts";
export { inviteMember } from "./create.ts";
export { type Invitation, type InvitationRow, listInvitations, listReceivedInvitations } from "./queries.ts";
export { EXPIRED_KEPT_MS } from "./rules.ts";
export { InvitationIn } from "./schema.ts";
export { withdrawInvitation } from "./withdraw.ts";
