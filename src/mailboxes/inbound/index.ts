export { type ArrivedMail, checkRecipient, type ReceiveResult, receiveMail } from "./receive.ts";
export { receiveEmail } from "./receive-email.ts";
export { MAX_MESSAGE_BYTES } from "./store-message.ts";
