export { answerSignIn } from "./answer.ts";
export { completeSignIn, type SignIn } from "./complete.ts";
export { createMagicLink } from "./magic-links/index.ts";
export { TOTP_PURPOSE } from "./second-factor/verify.ts";
