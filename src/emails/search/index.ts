export { hasNewEmailsStatement, indexEmails } from "./index-emails.ts";
export { searchRoutes } from "./routes.ts";
