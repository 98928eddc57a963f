import { getPath } from "hono/utils/url";

const AUTODISCOVER = /^\/autodiscover\/autodiscover\.xml$/i;

/** Returns the path by which a request is routed. That of Autodiscover has no letter case: versions of Outlook write it differently. */
export function routedPath(request: Request): string {
  const path = getPath(request);
  return AUTODISCOVER.test(path) ? path.toLowerCase() : path;
}
