/** Returns at most `most` Message-IDs of a References field: the first, which names the conversation, and the last (RFC 5537 3.4.4). */
export const shortenReferences = (ids: readonly string[], most: number): string[] =>
  ids.length <= most ? [...ids] : [...ids.slice(0, 1), ...ids.slice(1 - most)];
