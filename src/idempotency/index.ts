export { findAnswer, type Idempotency, keepAnswer } from "./answers.ts";
export { forgetAnswers } from "./forget.ts";
