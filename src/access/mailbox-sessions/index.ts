export { authenticateMailboxCaller } from "./caller.ts";
export { changePasswordStatements } from "./change-password.ts";
export { hashPassword, isPassword } from "./password.ts";
export {
  findOpenedByPassword,
  inheritPasswordsStatement,
  type MailboxTokens,
  type OpenedMailbox,
  openByPassword,
  openByPasswordOf,
  refreshMailboxSession,
  setPasswordStatements,
  signInToMailbox,
  signOutOfMailbox,
} from "./sessions.ts";
