/** Limits of aliases (docs/contract/mailboxes.md#aliases). Pure. */
export const limits = {
  /** Aliases of a mailbox. */
  aliases: 100,
} as const;
