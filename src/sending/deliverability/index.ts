export type { ReplyKind, SaidReply } from "./find-replies.ts";
export { type Deliverability, getDeliverability } from "./get.ts";
export { RECEIVERS } from "./receivers.ts";
export { COMPLAINTS } from "./troubles.ts";
