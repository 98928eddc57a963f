export { receiveEmail } from "./email.ts";
export { type Reception, receiveMail } from "./receive.ts";
