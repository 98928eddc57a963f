export { completeSignIn, type SignIn } from "./complete.ts";
export { createMagicLink } from "./magic-links/index.ts";
export { answerSignIn } from "./routes.ts";
