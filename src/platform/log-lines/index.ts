export { type LoggedEmail, logEmails } from "./log-emails.ts";
