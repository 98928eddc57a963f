/** Limits of app passwords (docs/contract/mailboxes.md#app-passwords). Pure. */

/** Characters of a name. */
export const MAX_NAME_CHARACTERS = 100;
