export { classifyFailure, type Failure } from "./classify.ts";
export { NON_COMPLAINT_TYPES } from "./complaint.ts";
export type { Action, Bounce, Complaint, DeliveryReport, Feedback, ReportedRecipient } from "./feedback.ts";
export { type ContentType, type Fields, lineEnd, parseContentType, readFields } from "./message.ts";
export { parseFeedback } from "./parse.ts";
export type { SmtpPhase } from "./phase.ts";
export { classifyStatus, type FailureClass } from "./status-codes.ts";
export { decodeEncodedWords, decodeText, decodeTransferEncoding } from "./text.ts";
export { findStatus, findStatuses } from "./values.ts";
