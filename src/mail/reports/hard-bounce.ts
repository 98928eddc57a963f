/**
 * Returns whether the refusal of a recipient means that the address does not work (RFC 3463 3.2, 3.3): bad mailbox, bad
 * system, bad syntax, moved, disabled. Without an enhanced code, 550, 551 and 553 count too. Codes about the sender's
 * address (5.1.7, 5.1.8) and policy (5.7.x) do not. Pure.
 */
export function isHardBounce(reply: { code: number; enhanced: string | null }): boolean {
  if (reply.enhanced !== null) return /^5\.(1\.([0-6]|9|10)|2\.1)$/.test(reply.enhanced);
  return [550, 551, 553].includes(reply.code);
}
