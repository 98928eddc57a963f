export { findRecipient } from "./find-recipient.ts";
export { unsubscribeHeaders } from "./headers.ts";
export { unsubscribe } from "./unsubscribe.ts";
