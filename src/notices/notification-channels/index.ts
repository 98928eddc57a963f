export { sendNotifications } from "./run.ts";
