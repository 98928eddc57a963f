export type { RequestSource } from "./confirm.ts";
export { type Evidence, evidenceStatement, statedByImportStatement, wordsStatement } from "./evidence.ts";
export { requestStatements } from "./request.ts";
export { limits as consentLimits, MAIL_WINDOW_MS } from "./rules.ts";
export { runConfirmations } from "./run.ts";
export { requireConfirmation } from "./sender.ts";
