export { composeReply, type ReplyContent } from "./compose.ts";
export { isReplying, mayReply } from "./rules.ts";
