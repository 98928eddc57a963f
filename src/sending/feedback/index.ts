export { isFeedbackRecipient, receiveFeedback } from "./receive.ts";
