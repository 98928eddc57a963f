export { MboxQuoter } from "./quote.ts";
export { readMbox } from "./read.ts";
