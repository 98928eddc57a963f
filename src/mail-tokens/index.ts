export {
  type AddressedMail,
  newReturnPath,
  newUnsubscribeAddress,
  readReturnPath,
  readUnsubscribeAddress,
} from "./return-path.ts";
export {
  type HitKind,
  MAX_TARGET_OCTETS,
  newClickToken,
  newOpenToken,
  readClickToken,
  readOpenToken,
  type TrackedLink,
  type TrackedMail,
  tokenName,
} from "./tracking.ts";
