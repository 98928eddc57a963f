export { countEmailsStatements, dailyLimitOf, resetAt, toDailyLimitError } from "./count-emails.ts";
