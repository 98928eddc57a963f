export { findAnswer, type Idempotency, type KeptAnswer, keepAnswer, keepSecretAnswer } from "./answers.ts";
export { forgetAnswers } from "./forget.ts";
