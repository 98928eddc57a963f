export { classifyPhrases, NON_COMPLAINT_TYPES, VAGUE_STATUSES } from "./classify.ts";
export type { Action, Bounce, Complaint, DeliveryReport, Feedback, ReportedRecipient } from "./feedback.ts";
export { isHardBounce } from "./hard-bounce.ts";
export { parseFeedback } from "./parse.ts";
export { findStatus } from "./values.ts";
