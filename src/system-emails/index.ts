export { type SystemEmail, sendSystemEmail } from "./send.ts";
