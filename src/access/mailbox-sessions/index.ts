export {
  insertAppPasswordStatement,
  newAppPassword,
} from "./app-passwords.ts";
export {
  authenticateMailboxCaller,
  findProgramCallerStatement,
  type MailboxCallerRow,
  toProgramCaller,
} from "./caller.ts";
export { changePasswordStatements, findCurrentHash } from "./change-password.ts";
export {
  findOpenAccesses,
  findProgramAccess,
  findProgramLogin,
  type ProgramAccess,
  type ProgramLogin,
} from "./mail-programs.ts";
export { hashPassword, isPassword } from "./password.ts";
export { appPasswordsOf, mayOpenSql, openByPassword } from "./rights.ts";
export {
  inheritPasswordsStatements,
  type MailboxTokens,
  passwordOwner,
  refreshMailboxSession,
  setPasswordStatements,
  signInToMailbox,
  signOutOfMailbox,
} from "./sessions.ts";
