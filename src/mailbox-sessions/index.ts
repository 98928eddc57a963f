export { authenticateMailboxCaller } from "./caller.ts";
export { hashPassword, isPassword } from "./password.ts";
export {
  ACTIVE as ACTIVE_MAILBOX,
  type MailboxTokens,
  refreshMailboxSession,
  setPasswordStatements,
  signInToMailbox,
  signOutOfMailbox,
} from "./sessions.ts";
