export { isAutomatic, type ReceivedMail } from "./automatic-mail.ts";
export { classifyFailure } from "./classify.ts";
export { NON_COMPLAINT_TYPES } from "./complaint.ts";
export type { Action, Complaint, Feedback, ReportedRecipient } from "./feedback.ts";
export { type ContentType, decodeHeader, Fields, lineEnd, parseContentType, readFields } from "./message.ts";
export { parseFeedback } from "./parse.ts";
export { classifyStatus } from "./status-codes.ts";
export { decodeEncodedWords, decodeText, decodeTransferEncoding } from "./text.ts";
export { findStatus } from "./values.ts";
