export type { AddressReply, Behaviour, MailSystem } from "./behaviour.ts";
export { mailboxReplies } from "./rules/mailboxes.ts";
export type { Received } from "./smtp/received.ts";
export { type Internet, type InternetOptions, startInternet } from "./start.ts";
