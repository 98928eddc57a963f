export { indexEmails } from "./index-emails.ts";
export { rewindSearchProgressStatement } from "./rewind-progress.ts";
export { searchRoutes } from "./routes.ts";
