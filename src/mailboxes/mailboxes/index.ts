export { assignMailbox } from "./assign.ts";
export { changeOwnPassword, PasswordChangeIn } from "./change-password.ts";
export { createMailbox } from "./create.ts";
export { deleteMailbox } from "./delete.ts";
export { getMailbox, listMailboxes, type MailboxRow } from "./queries.ts";
export { mayManage, mayRename, missingForPassword } from "./rights.ts";
export { AssigneesIn, MailboxIn, type MailboxOut, MailboxPatch, PasswordIn, toMailbox } from "./schema.ts";
export { setMailboxPassword } from "./set-password.ts";
export { updateMailbox } from "./update.ts";
