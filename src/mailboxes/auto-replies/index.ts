export { composeReply, type ReplyContent } from "./compose.ts";
export { isAnswering, mayReply } from "./rules.ts";
