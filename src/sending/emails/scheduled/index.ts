export { cancelEmail } from "./cancel.ts";
export { listScheduledOfMailbox } from "./of-mailbox.ts";
export { ScheduledOut } from "./schema.ts";
