import { DAY_MS } from "../../lib/time.ts";
import type { Settings } from "../../platform/settings/settings.ts";

/** How long programs may trust security.txt, in ms. RFC 9116 2.5.5 recommends less than a year. */
const SECURITY_TEXT_MS = 180 * DAY_MS;

/** Returns robots.txt (RFC 9309): the front and the documentation may be indexed. `publicUrl` has no final slash. */
export const robotsText = (publicUrl: string) =>
  [
    "User-agent: *",
    "Allow: /$",
    "Allow: /docs",
    "Allow: /status",
    "Disallow: /",
    "",
    `Sitemap: ${publicUrl}/sitemap.xml`,
    "",
  ].join("\n");

/** Returns security.txt (RFC 9116) with the contact of the deployment. `now`: ms since 1970. */
export const securityText = (
  { publicUrl, securityContact }: Pick<Settings, "publicUrl" | "securityContact">,
  now: number,
) =>
  [
    `Contact: ${securityContact}`,
    `Expires: ${new Date(now + SECURITY_TEXT_MS).toISOString()}`,
    "Preferred-Languages: en",
    `Canonical: ${publicUrl}/.well-known/security.txt`,
    "",
  ].join("\n");

/** Returns the manifest with which browsers install the dashboard (W3C Web Application Manifest). */
export const toManifest = (name: string) => ({
  name,
  short_name: name,
  start_url: "/app",
  display: "standalone",
  background_color: "#ffffff",
  theme_color: "#3d4fb8",
  icons: [
    { src: "/favicon.svg", type: "image/svg+xml", sizes: "any" },
    { src: "/icon-512.png", type: "image/png", sizes: "512x512" },
  ],
});
