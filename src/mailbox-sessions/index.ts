export { authenticateMailboxCaller } from "./caller.ts";
export { hashPassword, isPassword } from "./password.ts";
export {
  authenticateMailbox,
  type MailboxSession,
  type MailboxTokens,
  refreshMailboxSession,
  setPasswordStatements,
  signInToMailbox,
  signOutOfMailbox,
} from "./sessions.ts";
