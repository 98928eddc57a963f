export { authenticateMailboxCaller } from "./caller.ts";
export { changePasswordStatements } from "./change-password.ts";
export { hashPassword, isPassword } from "./password.ts";
export {
  inheritPasswordsStatement,
  type MailboxTokens,
  openByPassword,
  refreshMailboxSession,
  setPasswordStatements,
  signInToMailbox,
  signOutOfMailbox,
} from "./sessions.ts";
