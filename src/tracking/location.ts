/**
 * A link's target as a Location header holds it: octet for octet where it can be, else as a browser writes it when it
 * follows the link (non-ASCII text and white space escaped, a host in Punycode). Pure.
 */
export function toLocation(url: string): string {
  return /^[\x21-\x7e]+$/.test(url) ? url : new URL(url).href;
}
