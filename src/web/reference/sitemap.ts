import type { Contents } from "./document.ts";
import { pathOf } from "./guides.ts";

/** Returns sitemap.xml (https://www.sitemaps.org/protocol.html): the front and the documentation. `origin`: URL of the service. */
export function toSitemap({ nouns, guides }: Contents, origin: string): string {
  const paths = ["/", "/docs", ...guides.map(pathOf), ...nouns.map(({ slug }) => `/docs/${slug}`)];
  const urls = paths.map((path) => `<url><loc>${origin}${path}</loc></url>\n`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${urls.join("")}</urlset>
`;
}
