/** Returns whether a domain name is another one or below it. Both are in lower case, without a final dot. */
export const isAtOrBelow = (name: string, domain: string): boolean => name === domain || name.endsWith(`.${domain}`);
