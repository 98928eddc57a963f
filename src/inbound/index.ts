export { type ReceiveResult, receiveMail } from "./receive.ts";
export { receiveEmail } from "./receive-email.ts";
