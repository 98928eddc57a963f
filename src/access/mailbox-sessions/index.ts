export { authenticateMailboxCaller } from "./caller.ts";
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
