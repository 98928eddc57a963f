export type { Draft } from "./accept.ts";
export { type Checked, checkSends, reasonOf, refuse, requireAccount } from "./check.ts";
export { commitDrafts, sendEmail, toAccepted, toDraft } from "./send.ts";
export { readSendAt } from "./send-at.ts";
export { validateEmail } from "./validate.ts";
