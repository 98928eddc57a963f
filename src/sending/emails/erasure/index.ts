export { type ErasedPerson, eraseEmails } from "./erase-emails.ts";
export { Scrubber } from "./scrub.ts";
