export { isFeedbackRecipient, type ReturnedMail, receiveFeedback } from "./receive.ts";
