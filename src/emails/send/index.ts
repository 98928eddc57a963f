export { check, findSendRecords, requireSendable, requireSendingAllowed, type Sendable } from "./check.ts";
export { firstReason, type Issue, toFaults } from "./issues.ts";
export { type NewEmail, toNewEmail } from "./new-email.ts";
export { type Envelope, type ParsedEmail, type ParsedRequest, parse } from "./parse.ts";
export { commitEmails, sendEmail, toAccepted } from "./send.ts";
export { readSendAt } from "./send-at.ts";
export { toValidation, validateEmail } from "./validate.ts";
