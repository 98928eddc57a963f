export { MboxQuoter, unquote } from "./quote.ts";
export { type MboxMessage, readMbox } from "./read.ts";
