export { findAnswer, type Idempotency, keepAnswer, keepSecretAnswer } from "./answers.ts";
export { forgetAnswers } from "./forget.ts";
