export { type ReturnedMail, receiveFeedback } from "./receive.ts";
