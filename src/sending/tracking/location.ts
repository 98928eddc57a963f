/**
 * Returns a link's target for a Location header: unchanged when it is printable ASCII, else as a browser serializes it
 * (non-ASCII text and white space escaped, the host in Punycode). Pure.
 */
export function toLocation(url: string): string {
  return /^[\x21-\x7e]+$/.test(url) ? url : new URL(url).href;
}
