export { listScheduledOfMailbox } from "./of-mailbox.ts";
export { ScheduledOut } from "./schema.ts";
