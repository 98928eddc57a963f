export { composeReply, type ReplyContent } from "./compose.ts";
export { mayReply } from "./may-reply.ts";
export { isReplying } from "./rules.ts";
