export { toComplaintFact, toFact } from "./fact.ts";
export type { Action, Bounce, Complaint, DeliveryReport, Feedback, ReportedRecipient } from "./feedback.ts";
export { readFeedback } from "./read.ts";
export { type ReturnedMail, receiveFeedback } from "./receive.ts";
export {
  type AddressedMail,
  newReturnPath,
  newUnsubscribeAddress,
  readReturnPath,
  readUnsubscribeAddress,
} from "./verp.ts";
