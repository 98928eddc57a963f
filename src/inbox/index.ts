export { connectToEvents } from "./events/connect.ts";
export { changeMessages } from "./messages/change.ts";
export {
  type AttachmentFile,
  getMessage,
  type MessageContent,
  openAttachment,
  openObject,
  readContent,
} from "./messages/read.ts";
export { BatchIn } from "./messages/schema.ts";
export { type OpenMailbox, openMailbox } from "./open.ts";
export { createDraft, replaceDraft } from "./sending/drafts.ts";
export { DraftIn, SendIn } from "./sending/schema.ts";
export { sendFromMailbox } from "./sending/send.ts";
