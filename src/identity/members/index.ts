export { changeRole, requireRightsOf } from "./change-role.ts";
export { saveTimeZone } from "./me/save-time-zone.ts";
export { getMember, listMembers, type MemberRow } from "./queries.ts";
export { removeMember } from "./remove.ts";
export { mayChange, roles } from "./rules.ts";
export { MemberPatch } from "./schema.ts";
