export type { Action, Bounce, Complaint, DeliveryReport, Feedback, ReportedRecipient } from "./feedback.ts";
export { isHardBounce } from "./hard-bounce.ts";
export { readFeedback } from "./read.ts";
export { NO_COMPLAINT, readPhrases, VAGUE_STATUSES } from "./rules.ts";
export { statusIn } from "./values.ts";
