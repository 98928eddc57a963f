export { hashPassword, isPassword } from "./password.ts";
export {
  authenticateMailbox,
  type MailboxTokens,
  refreshMailboxSession,
  setPasswordStatements,
  signInToMailbox,
  signOutOfMailbox,
} from "./sessions.ts";
