export type { MailReference } from "./codec.ts";
export { newFeedbackId, readFeedbackId } from "./feedback-id.ts";
export {
  isSignedAddress,
  newForwardPath,
  newReturnPath,
  newUnsubscribeAddress,
  newUnsubscribeUrl,
  readForwardPath,
  readReturnPath,
  readUnsubscribeAddress,
} from "./return-path.ts";
export {
  type HitKind,
  MAX_TARGET_BYTES,
  newClickToken,
  newOpenToken,
  readClickToken,
  readOpenToken,
  type TrackedLink,
  tokenName,
} from "./tracking.ts";
