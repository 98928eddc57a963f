export { ByteBudget } from "./byte-budget.ts";
export { PermanentError } from "./compose-mail.ts";
export { ContentPacks } from "./content-packs.ts";
export { type MailToSend, preflight, reschedule } from "./preflight.ts";
export { type PreparedMessage, prepareMessage } from "./prepare.ts";
export { isSimulated, simulate } from "./simulator.ts";
export { composeSource } from "./source.ts";
