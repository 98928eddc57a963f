export { createMagicLink, issueMagicLink } from "./create.ts";
export { findMagicLink, redeemMagicLink } from "./redeem.ts";
export { countMagicLink, sendMagicLink, sendProofLink } from "./send.ts";
