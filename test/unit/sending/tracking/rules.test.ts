import { describe, expect, it } from "vitest";
import { isMachine, isTrackable, resolveTracking, userAgentRules } from "../../../../src/sending/tracking/rules.ts";

const CHROME =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0 Safari/537.36";

/** User agents for each row of the table, in its order. */
const samples: readonly (readonly string[])[] = [
  ["", "  "],
  ["Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)"],
  ["YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html"],
  ["Mozilla/5.0 (Linux; Android 9; CUBOT_X19) AppleWebKit/537.36 Chrome/99.0 Mobile Safari/537.36"],
  ["Mozilla/5.0 (compatible; BarracudaCentral)"],
  ["Mimecast-URL-Protect/1.0"],
  ["Mozilla/5.0 Proofpoint URL Defense"],
  [`${CHROME} BingPreview/1.0b`, "SafeLinks"],
  ["Microsoft Office Protocol Discovery", "Microsoft Office Existence Discovery", "Microsoft-WebDAV-MiniRedir/10.0"],
  ["Mozilla/5.0 (compatible; VirusTotal)", "urlscan.io"],
  ["Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)", "Slack-ImgProxy (+https://api.slack.com/robots)"],
  ["facebookexternalhit/1.1", "WhatsApp/2.23.20.0", "TelegramBot (like TwitterBot)", "LinkedInBot/1.0"],
  [
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    "Mozilla/5.0 (compatible; bingbot/2.0)",
    "Mozilla/5.0 (compatible; Yahoo! Slurp)",
    "SomeCrawler/1.0",
    "Baiduspider",
  ],
  ["Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/142.0 Safari/537.36"],
  [
    "curl/8.5.0",
    "Wget/1.21",
    "python-requests/2.31.0",
    "Python-urllib/3.11",
    "Go-http-client/2.0",
    "Java/17",
    "node",
    "okhttp/4.9",
  ],
];

describe("user agents", () => {
  for (const [index, { agent, machine, description }] of userAgentRules.entries()) {
    it(`${machine ? "does not count" : "counts"} ${description}`, () => {
      expect(samples[index]?.length).toBeGreaterThan(0);
      for (const sample of samples[index] ?? []) {
        expect(
          userAgentRules.findIndex((row) => row.agent.test(sample)),
          sample,
        ).toBe(index);
        expect(agent.test(sample), sample).toBe(true);
        expect(isMachine({ userAgent: sample, purpose: "", network: "" }), sample).toBe(machine);
      }
    });
  }

  it("counts the mail clients and browsers of people", () => {
    const readers = [
      CHROME,
      "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15",
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148",
      "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Thunderbird/128.0",
      "Mozilla/4.0 (compatible; ms-office; MSOffice rmj)",
      "Microsoft Office/16.0 (Windows NT 10.0; Microsoft Outlook 16.0.17928; Pro)",
      "Outlook-iOS/709.2226530.prod.iphone (3.24.1)",
      // Apple Mail Privacy Protection, whose user agent does not identify it.
      "Mozilla/5.0",
    ];
    for (const reader of readers)
      expect(isMachine({ userAgent: reader, purpose: "", network: "" }), reader).toBe(false);
  });

  it("does not count requests that declare a prefetch or a preview", () => {
    for (const purpose of ["prefetch", "prefetch;prerender", "preview"])
      expect(isMachine({ userAgent: CHROME, purpose, network: "" })).toBe(true);
  });
});

describe("networks", () => {
  it("of email security services are machines, whatever the user agent", () => {
    for (const network of [
      "PROOFPOINT-ASN-US-EAST",
      "Mimecast Services Limited",
      "BARRACUDA NETWORKS, INC.",
      "TRENDMICRO",
    ])
      expect(isMachine({ userAgent: CHROME, purpose: "", network }), network).toBe(true);
  });

  it("of everyone else are not: access providers, clouds and web gateways", () => {
    for (const network of ["", "Deutsche Telekom AG", "Google LLC", "ZSCALER-INC", "Microsoft Corporation"])
      expect(isMachine({ userAgent: CHROME, purpose: "", network }), network).toBe(false);
  });
});

describe("whether an email is tracked", () => {
  const both = (on: boolean) => ({ opens: on, clicks: on });

  it("follows the source by default: on for bulk and broadcast, off for all others", () => {
    for (const source of ["bulk", "broadcast"]) expect(resolveTracking(source, {}, undefined)).toEqual(both(true));
    for (const source of ["api", "batch", "smtp", "inbox", "system"])
      expect(resolveTracking(source, {}, null)).toEqual(both(false));
  });

  it("prefers the send over the workspace and the workspace over the source, for opens and clicks separately", () => {
    const values = [undefined, false, true];
    for (const source of ["api", "bulk"]) {
      for (const set of values) {
        for (const sent of [...values, null]) {
          const tracking = resolveTracking(source, { tracking_opens: set }, { opens: sent });
          expect(tracking).toEqual({ opens: sent ?? set ?? source === "bulk", clicks: source === "bulk" });
          const other = resolveTracking(source, { tracking_clicks: set }, { clicks: sent });
          expect(other).toEqual({ opens: source === "bulk", clicks: sent ?? set ?? source === "bulk" });
        }
      }
    }
  });
});

describe("a trackable link", () => {
  const SERVICE_URL = "https://mail.example";

  it("is http and https with a host, in any case", () => {
    for (const url of ["http://a", "HTTPS://A.example/x?y#z", "https://[::1]/", "https://mail.example.org/x"])
      expect(isTrackable(url, SERVICE_URL), url).toBe(true);
  });

  it("has no other scheme and is not malformed", () => {
    const others = [
      "mailto:a@b.example",
      "tel:+43",
      "#top",
      "cid:logo",
      "/path",
      "//host/x",
      "javascript:alert(1)",
      "data:text/html,x",
    ];
    const broken = ["http://", "https:///x", "http:x", "http://a b/", "https://[", " http://a", "ftp://a", ""];
    for (const url of [...others, ...broken]) expect(isTrackable(url, SERVICE_URL), url).toBe(false);
  });

  it("does not lead to this service, as unsubscribe links do", () => {
    for (const url of [SERVICE_URL, `${SERVICE_URL}/u/token`, "HTTPS://MAIL.example/u/x"])
      expect(isTrackable(url, SERVICE_URL), url).toBe(false);
  });

  it("contains no unfilled template placeholder", () => {
    for (const rest of ["{{name}}", "*|UNSUB|*", "<%= x %>", ["$", "{x}"].join(""), "{% url %}"])
      expect(isTrackable(`https://a.example/${rest}`, SERVICE_URL), rest).toBe(false);
  });
});
