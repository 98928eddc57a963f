export {
  type AddressedMail,
  newReturnPath,
  newUnsubscribeAddress,
  readReturnPath,
  readUnsubscribeAddress,
} from "./return-path.ts";
export {
  type HitKind,
  newClickToken,
  newOpenToken,
  readClickToken,
  readOpenToken,
  type TrackedLink,
  type TrackedMail,
  tokenName,
} from "./tracking.ts";
