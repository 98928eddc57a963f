import { isWebUrl } from "../lib/web-url.ts";

/** What is tracked, and whose opens and clicks are not a reader's. Pure; the tables are walked row by row in tests. */

export interface Tracking {
  opens: boolean;
  clicks: boolean;
}

/** Sources of mail to many: tracked when nobody says otherwise (decisions 4). */
const TRACKED_SOURCES = ["bulk", "broadcast"];

/** Whether a mail is tracked: what the send says, else what the workspace says, else by its source. */
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

/** Characters of a user agent that are kept. */
export const MAX_USER_AGENT = 300;
/** The same open or click counts once within this time. */
export const REPEAT_SECONDS = 60;

/** What a template left unfilled: such a link goes nowhere, and its sender should see it as it is. */
const TEMPLATE_PLACEHOLDER = /\{\{|\}\}|\{%|%\}|<%|%>|\*\||\|\*|\$\{/;

/** Whether a URL may be the target of a tracking link: on the web, and none of our own (unsubscribe links). */
export function isTrackable(url: string, publicUrl: string): boolean {
  if (!isWebUrl(url) || TEMPLATE_PLACEHOLDER.test(url)) return false;
  return !`${url.toLowerCase()}/`.startsWith(`${publicUrl.toLowerCase()}/`);
}

/**
 * User agents by name; the first row that fits says whether a machine asked. A proxy that fetches when a person opens
 * the mail is that person. Apple Mail Privacy Protection fetches every image at delivery under a bare `Mozilla/5.0`,
 * whether or not anybody reads: it cannot be told from a reader by its name, so its opens count.
 */
export const userAgentRules: readonly { agent: RegExp; machine: boolean; who: string }[] = [
  { agent: /^\s*$/, machine: true, who: "nobody who says who they are" },
  { agent: /GoogleImageProxy/i, machine: false, who: "Gmail's image proxy, when the reader opens the mail" },
  { agent: /YahooMailProxy/i, machine: false, who: "Yahoo's image proxy, likewise" },
  { agent: /\bCUBOT/i, machine: false, who: "a maker of telephones" },
  { agent: /Barracuda/i, machine: true, who: "Barracuda link protection" },
  { agent: /Mimecast/i, machine: true, who: "Mimecast URL protection" },
  { agent: /Proofpoint|urldefense/i, machine: true, who: "Proofpoint URL Defense" },
  { agent: /BingPreview|SafeLinks|Safe ?Links/i, machine: true, who: "Microsoft Safe Links" },
  {
    agent: /Microsoft Office (Protocol|Existence) Discovery|Microsoft-WebDAV/i,
    machine: true,
    who: "Office, looking whether a link is a document",
  },
  { agent: /VirusTotal|urlscan|PhishTank|Netcraft/i, machine: true, who: "services that judge links" },
  { agent: /Slackbot|Slack-ImgProxy/i, machine: true, who: "Slack's previews" },
  {
    agent: /facebookexternalhit|WhatsApp|TelegramBot|Discordbot|Twitterbot|LinkedInBot|SkypeUriPreview/i,
    machine: true,
    who: "previews of other messengers",
  },
  {
    agent: /bot\b|bot[/_;-]|crawl|spider|slurp|scanner|prefetch|monitoring|uptime/i,
    machine: true,
    who: "bots and crawlers",
  },
  { agent: /HeadlessChrome|PhantomJS|Puppeteer|Playwright|Selenium/i, machine: true, who: "browsers without a person" },
  {
    agent:
      /^(curl|wget|libwww-perl|python|aiohttp|httpx|go-http-client|java|okhttp|axios|node|undici|ruby|php|perl|apache-httpclient|guzzlehttp|postmanruntime|httpie)\b/i,
    machine: true,
    who: "programs",
  },
];

/** Whether a machine asked, by its user agent or by having said that it only fetches ahead (Sec-Purpose). */
export function isMachine(userAgent: string, purpose: string): boolean {
  if (/prefetch|prerender|preview/i.test(purpose)) return true;
  return userAgentRules.find(({ agent }) => agent.test(userAgent))?.machine ?? false;
}
