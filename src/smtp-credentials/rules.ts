/** Characters of the user id at the start of a username (specification: SMTP credential). */
const USER_CHARACTERS = 8;

/** Returns the username of a credential: the first 8 characters of the user's id, `@` and the domain's name. */
export function usernameOf(userId: string, domain: string): string {
  return `${userId.slice(0, USER_CHARACTERS)}@${domain}`;
}
