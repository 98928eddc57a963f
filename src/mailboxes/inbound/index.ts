export { checkRecipient, receiveMail } from "./receive.ts";
export { receiveEmail } from "./receive-email.ts";
export { MAX_MESSAGE_BYTES } from "./store-message.ts";
