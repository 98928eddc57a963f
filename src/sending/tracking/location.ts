/**
 * Returns a link's target for a Location header: unchanged when it is printable ASCII, else as a browser serializes it
 * (non-ASCII text and white space escaped, the host in Punycode). Pure.
 */
export const toLocation = (url: string): string => (/^[\x21-\x7e]+$/.test(url) ? url : new URL(url).href);
