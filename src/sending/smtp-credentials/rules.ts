/** Characters of the user id at the start of a username (docs/contract/smtp.md#smtp-credentials). */
const USER_CHARACTERS = 8;

/**
 * How long the mail gateway may accept logins and senders of a credential without another call, in ms from before the call
 * that found it active. The deletion of a credential is confirmed after this time, so no later MAIL FROM is accepted.
 */
export const LEASE_MS = 500;

/** Returns the username of a credential: the first 8 characters of the user's id, `@` and the domain's name. */
export const usernameOf = (userId: string, domain: string): string => `${userId.slice(0, USER_CHARACTERS)}@${domain}`;
