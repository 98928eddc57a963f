const WEB = /^https?:\/\/[^/?#\s]/i;

/** Returns whether a link's address is http or https with a host, the only addresses that are redirected to. */
export function isWebUrl(url: string): boolean {
  return WEB.test(url) && URL.canParse(url);
}
