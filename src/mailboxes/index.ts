export { getMailbox, type MailboxRow } from "./queries.ts";
