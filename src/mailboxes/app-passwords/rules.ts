/** Limits of app passwords (docs/contract/mailboxes.md#app-passwords). Pure. */

/** App passwords of a mailbox. */
export const MAX_APP_PASSWORDS = 20;
/** Characters of a name. */
export const MAX_NAME_CHARACTERS = 100;
