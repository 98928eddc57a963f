export { isAnswering, mayReply } from "./rules.ts";
