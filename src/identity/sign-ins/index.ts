export { completeSignIn, type SignIn } from "./complete.ts";
export { createMagicLink, sendDeletionLink } from "./magic-links/index.ts";
export { respondSignIn } from "./respond.ts";
export { reauthenticate } from "./second-factor/reauthenticate.ts";
export { disableTotp, enableTotp, readTotpStatus, setUpTotp, type TotpStatus } from "./second-factor/settings.ts";
export { TOTP_PURPOSE } from "./second-factor/verify.ts";
export { countAttempt as countMailboxPassword, mailboxPasswordLimits } from "./webmail/count-attempt.ts";
export { WebmailLoginIn } from "./webmail/schema.ts";
export { signInToWebmail } from "./webmail/sign-in.ts";
