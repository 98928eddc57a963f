export { HAS_NEW_EMAILS_SQL, indexEmails } from "./index-emails.ts";
export { searchRoutes } from "./routes.ts";
export type { SearchOut } from "./schema.ts";
export { searchEmails } from "./search.ts";
