export { check, requireSendable, requireSendingAllowed, type Sendable } from "./check.ts";
export { insertEmailStatements } from "./insert.ts";
export { firstReason, type Issue, toFaults } from "./issues.ts";
export { type NewEmail, toNewEmail } from "./new-email.ts";
export { type Envelope, type ParsedEmail, type ParsedRequest, parse } from "./parse.ts";
export { type EarlySendRecords, earlySendReads, findSendRecords } from "./records.ts";
export { commitEmails, sendEmail, toAccepted } from "./send.ts";
export { readSendAt } from "./send-at.ts";
export { toValidation, validateEmail } from "./validate.ts";
