import type { Middleware } from "./env.ts";

/** The paths that are served at a host of a customer, by the first label of its name. Everything else is a 404 there. */
const SERVED: Readonly<Record<string, RegExp>> = {
  links: /^\/(t\/[oc]|u|c)\/[^/]+$/,
  "mta-sts": /^\/\.well-known\/mta-sts\.txt$/,
  autoconfig: /^(\/\.well-known\/autoconfig)?\/mail\/config-v1\.1\.xml$/,
  autodiscover: /^\/autodiscover\/autodiscover\.xml$/,
};

/**
 * Middleware: serves at a host of a customer (docs/contract/tracking.md#own-host) its own paths only: no page, no API. A request for
 * the host of PUBLIC_URL, or for a name with another first label, is one for the service. Decides by the name alone, so a host
 * whose row is gone stays closed.
 */
export const customHosts: Middleware = async (c, next) => {
  const { hostname } = new URL(c.req.url);
  const label = hostname.slice(0, Math.max(0, hostname.indexOf(".")));
  const served = Object.hasOwn(SERVED, label) ? SERVED[label] : undefined;
  const isOwn = served === undefined || hostname === publicHost(c.env.PUBLIC_URL);
  c.set("customHost", isOwn ? null : hostname);
  return isOwn || served.test(c.req.path) ? next() : c.text("Not found", 404);
};

/** Not from the parsed settings: with malformed ones, /health and /ready still respond. */
const publicHost = (url: unknown) => (typeof url === "string" && URL.canParse(url) ? new URL(url).hostname : "");
