export { composeHtml, composeText, frameOf } from "./compose.ts";
export { canSendSystemEmails, sendSystemEmail } from "./send.ts";
export { readSystemMail, type SystemMail } from "./sender.ts";
