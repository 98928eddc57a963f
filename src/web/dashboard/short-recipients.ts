/** Returns the recipients of an email for a row of a list: the first address and how many others there are. */
export const shortRecipients = (addresses: readonly string[]): string =>
  addresses.length > 1 ? `${addresses[0]} and ${addresses.length - 1} more` : (addresses[0] ?? "");
