export type { Authentication } from "./authentication.ts";
export { type ArrivedMail, checkRecipient, type ReceiveResult, receiveMail } from "./receive.ts";
export { receiveEmail } from "./receive-email.ts";
export { saveUsedBytes, toPreview } from "./store-message.ts";
