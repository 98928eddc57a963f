export { check, requireSendable, requireSendingAllowed, type Sendable } from "./check.ts";
export { commitEmails, isRefusal } from "./commit.ts";
export { commitStatements, toCommit } from "./commit-statements.ts";
export { findSenderOf, type SenderError } from "./find-sender.ts";
export { firstReason, toValidationErrors } from "./issues.ts";
export { type NewEmail, toNewEmail } from "./new-email.ts";
export {
  type Envelope,
  type ParsedAddress,
  type ParsedEmail,
  type ParsedRequest,
  parse,
  type Recipient,
} from "./parse.ts";
export { earlyRecords, earlySendReads, findSendRecords, sendReads } from "./records.ts";
export { sendEmail, toAccepted } from "./send.ts";
export { readSendAt } from "./send-at.ts";
export { applySenderRule, type SenderMailbox } from "./sender-rule.ts";
export { resolveTemplates } from "./templates.ts";
export { toValidation, validateEmail } from "./validate.ts";
export { warningsOf, withWarnings } from "./warnings.ts";
