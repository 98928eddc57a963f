export { findRecipientNumbers, indexAgainStatements } from "./find-recipient.ts";
export { HAS_NEW_EMAILS_SQL, indexEmails } from "./index-emails.ts";
export { type EmailOfRecipient, findEmailsTo } from "./of-recipient.ts";
export { reindexEmails } from "./reindex.ts";
export { searchRoutes } from "./routes.ts";
export { getSavedSearches, putSavedSearches } from "./saved-searches.ts";
export { SavedSearchesIn, type SavedSearchesOut, type SearchOut } from "./schema.ts";
export { searchEmails } from "./search.ts";
