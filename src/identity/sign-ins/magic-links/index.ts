export { createMagicLink, issueMagicLink } from "./create.ts";
export { findMagicLink, redeemMagicLink } from "./redeem.ts";
export { countMagicLink, sendDeletionLink, sendMagicLink } from "./send.ts";
