export { composeReply, type ReplyContent } from "./compose.ts";
export { mayReply } from "./may-reply.ts";
export { type AutoReplyRow, isReplying } from "./rules.ts";
