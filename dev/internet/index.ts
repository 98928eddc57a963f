export type { AddressReply, Behaviour, MailSystem, RateLimit } from "./behaviour.ts";
export { ACCEPTS, defaultSystems } from "./default-systems.ts";
export { mailboxReplies } from "./rules/mailboxes.ts";
export type { Received } from "./smtp/received.ts";
export type { Counters, Receiver } from "./smtp/receiver.ts";
export { type Internet, type InternetOptions, startInternet } from "./start.ts";
