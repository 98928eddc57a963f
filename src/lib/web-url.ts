const WEB = /^https?:\/\/[^/?#\s]/i;

/** Returns whether a link's address is http or https with a host, the only addresses that are redirected to. */
export const isWebUrl = (url: string): boolean => WEB.test(url) && URL.canParse(url);
