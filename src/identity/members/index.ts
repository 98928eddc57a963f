export { changeRole, requireRightsOf } from "./change-role.ts";
export { deleteAccount, listAccountWorkspaces } from "./me/delete-account.ts";
export { type AccountWorkspace, deletionIssue, isAlone } from "./me/rules.ts";
export { saveTimeZone } from "./me/save-time-zone.ts";
export { listPasswordsOf, type SetPassword } from "./passwords.ts";
export { findEmailsOf, getMember, listMembers, type MemberRow } from "./queries.ts";
export { removeMember } from "./remove.ts";
export { mayChange, roles } from "./rules.ts";
export { isStanding, MemberPatch, NOT_STANDING, standingFields, toStanding } from "./schema.ts";
