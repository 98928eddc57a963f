export { type EmailsErased, type ErasedPerson, eraseEmails } from "./erase-emails.ts";
export { Scrubber } from "./scrub.ts";
