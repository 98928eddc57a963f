export { composeHtml, composeText } from "./compose.ts";
export { canSendSystemEmails, sendSystemEmail } from "./send.ts";
export { readSystemMail, type SystemMail } from "./sender.ts";
