export { canSendSystemEmails, type SystemEmail, sendSystemEmail } from "./send.ts";
