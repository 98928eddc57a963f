import { isWebUrl } from "../../lib/web-url.ts";

/** Rules that decide which emails and links are tracked and which clients are machines. Pure; tests check each row of the tables. */

export interface Tracking {
  opens: boolean;
  clicks: boolean;
}

/** Sources that are tracked by default (docs/contract/tracking.md#what-is-tracked). */
const TRACKED_SOURCES = ["bulk", "broadcast", "automation"];

/** Returns whether opens and clicks are tracked: by the send, else by the workspace's settings, else by the source. */
export function resolveTracking(
  source: string,
  settings: { tracking_opens?: boolean; tracking_clicks?: boolean },
  send: { opens?: boolean | null; clicks?: boolean | null } | null | undefined,
): Tracking {
  const standard = TRACKED_SOURCES.includes(source);
  return {
    opens: send?.opens ?? settings.tracking_opens ?? standard,
    clicks: send?.clicks ?? settings.tracking_clicks ?? standard,
  };
}

/** Longest stored text about a client in characters: its user agent, purpose header and network name. */
export const MAX_CLIENT_FIELD = 300;
/** Repeats of an open or click within this time are merged, in seconds (docs/contract/tracking.md#machines-and-persons). */
export const REPEAT_SECONDS = 60;

/** An unfilled template placeholder. Such a link is broken, so it stays as the sender wrote it. */
const TEMPLATE_PLACEHOLDER = /\{\{|\}\}|\{%|%\}|<%|%>|\*\||\|\*|\$\{/;

/** Returns whether a link is tracked: an http or https URL that does not lead to this service (unsubscribe links). */
export function isTrackable(url: string, publicUrl: string): boolean {
  if (!isWebUrl(url) || TEMPLATE_PLACEHOLDER.test(url)) return false;
  return !`${url.toLowerCase()}/`.startsWith(`${publicUrl.toLowerCase()}/`);
}

/**
 * User agents by pattern; the first match decides. A proxy that fetches images when a person opens the email counts as
 * that person. Apple Mail Privacy Protection fetches every image at delivery with the bare user agent `Mozilla/5.0`,
 * read or unread. Its user agent does not identify it, so its opens count.
 */
export const userAgentRules: readonly { agent: RegExp; machine: boolean; description: string }[] = [
  { agent: /^\s*$/, machine: true, description: "clients without a user agent" },
  {
    agent: /GoogleImageProxy/i,
    machine: false,
    description: "Gmail's image proxy, which fetches when a person opens the email",
  },
  {
    agent: /YahooMailProxy/i,
    machine: false,
    description: "Yahoo's image proxy, which fetches when a person opens the email",
  },
  { agent: /\bCUBOT/i, machine: false, description: "Cubot telephones, whose name ends in `bot`" },
  { agent: /Barracuda/i, machine: true, description: "Barracuda link protection" },
  { agent: /Mimecast/i, machine: true, description: "Mimecast URL protection" },
  { agent: /Proofpoint|urldefense/i, machine: true, description: "Proofpoint URL Defense" },
  { agent: /BingPreview|SafeLinks|Safe ?Links/i, machine: true, description: "Microsoft Safe Links" },
  {
    agent: /Microsoft Office (Protocol|Existence) Discovery|Microsoft-WebDAV/i,
    machine: true,
    description: "Office, which checks whether a link is a document",
  },
  { agent: /VirusTotal|urlscan|PhishTank|Netcraft/i, machine: true, description: "URL reputation services" },
  { agent: /Slackbot|Slack-ImgProxy/i, machine: true, description: "Slack's link previews" },
  {
    agent: /facebookexternalhit|WhatsApp|TelegramBot|Discordbot|Twitterbot|LinkedInBot|SkypeUriPreview/i,
    machine: true,
    description: "link previews of other messengers",
  },
  {
    agent: /bot\b|bot[/_;-]|crawl|spider|slurp|scanner|prefetch|monitoring|uptime/i,
    machine: true,
    description: "bots and crawlers",
  },
  {
    agent: /HeadlessChrome|PhantomJS|Puppeteer|Playwright|Selenium/i,
    machine: true,
    description: "automated browsers",
  },
  {
    agent:
      /^(curl|wget|libwww-perl|python|aiohttp|httpx|go-http-client|java|okhttp|axios|node|undici|ruby|php|perl|apache-httpclient|guzzlehttp|postmanruntime|httpie)\b/i,
    machine: true,
    description: "HTTP libraries and command-line clients",
  },
];

/**
 * Networks of email security services, by the name of their autonomous system: every client there is a
 * scanner. Web gateways that carry the traffic of persons are not listed.
 */
export const scannerNetworks: readonly { network: RegExp; description: string }[] = [
  { network: /\bproofpoint\b/i, description: "Proofpoint" },
  { network: /\bmimecast\b/i, description: "Mimecast" },
  { network: /\bbarracuda\b/i, description: "Barracuda" },
  { network: /\bironport\b/i, description: "Cisco Secure Email" },
  { network: /\bmessagelabs\b/i, description: "Symantec Email Security.cloud" },
  { network: /\btrend[ -]?micro\b/i, description: "Trend Micro Email Security" },
  {
    network: /\b(?:vade ?secure|hornetsecurity|spamhaus|virustotal)\b/i,
    description: "further email security services",
  },
];

/** The client of a hit, from its request. */
export interface HitClient {
  userAgent: string;
  ip: string;
  /** The Sec-Purpose header or a predecessor of it. Empty for an ordinary request. */
  purpose: string;
  /** Name of the client's autonomous system, as Cloudflare reports it. Empty when it is unknown. */
  network: string;
}

/** Returns whether a client is a machine, by its user agent, a header that declares a prefetch, or its network. */
export function isMachine({ userAgent, purpose, network }: Omit<HitClient, "ip">): boolean {
  if (/prefetch|prerender|preview/i.test(purpose)) return true;
  if (scannerNetworks.some((row) => row.network.test(network))) return true;
  return userAgentRules.find(({ agent }) => agent.test(userAgent))?.machine ?? false;
}
