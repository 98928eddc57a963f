export { createSmtpCredential } from "./create.ts";
export { deactivateSmtpCredential } from "./deactivate.ts";
export { getSmtpCredential, listSmtpCredentials } from "./queries.ts";
export { LEASE_MS } from "./rules.ts";
export { type NewSmtpCredentialOut, SmtpCredentialIn, type SmtpCredentialOut, toSmtpCredential } from "./schema.ts";
