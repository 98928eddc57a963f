import { bounce, oneConnection, pauseReceiver, pauseSource, type Receiver, refusal, rule, slow } from "./types.ts";

/** Services whose mailboxes are used in many countries. */
export const mailboxes: readonly Receiver[] = [
  {
    name: "google",
    label: "Google",
    mxSuffixes: [".google.com", ".googlemail.com"],
    limits: { connections: 5, messagesPerConnection: 50 },
    rules: [
      // The same words with "your DKIM domain" or "the sending domain" concern one customer and not the address.
      refusal(/unusual rate of (unsolicited )?mail originating from your ip/i, 2, slow(10), 30),
      refusal(/very low reputation of the sending ip/i, 3, slow(10), 60),
      rule(/our system has detected that this message is likely unsolicited mail/i, 10, slow(60), 30),
      rule(/421 4\.7\.0 try again later, closing connection/i, 3, pauseReceiver, 15),
      bounce(/ip not in whitelist for rcpt domain/i),
    ],
  },
  {
    name: "outlook",
    label: "Outlook",
    mxSuffixes: [".olc.protection.outlook.com"],
    limits: { connections: 5, messagesPerConnection: 50 },
    rules: [
      refusal(/part of their network is on our block list/i, 5, pauseReceiver, 120),
      rule(/has been temporarily rate limited due to ip reputation/i, 3, pauseReceiver, 30),
      rule(/access denied, please try again later/i, 5, pauseReceiver, 60),
      rule(/server busy\. please try again later/i, 3, slow(1), 15),
      rule(/exceeded the maximum number of connections|exceed max concurrent connections/i, 2, oneConnection, 60),
    ],
  },
  {
    name: "microsoft-365",
    label: "Microsoft 365",
    mxSuffixes: [".mail.protection.outlook.com", ".mx.microsoft"],
    limits: { connections: 5, messagesPerConnection: 50 },
    rules: [
      refusal(/access denied, banned sending ip/i, 3, pauseReceiver, 120),
      refusal(/part of their network is on our block list/i, 5, pauseReceiver, 120),
      rule(/access denied, please try again later/i, 5, pauseReceiver, 60),
      rule(/server busy\. please try again later/i, 3, slow(1), 15),
      rule(/has been temporarily rate limited due to ip reputation/i, 3, pauseReceiver, 30),
    ],
  },
  {
    name: "yahoo",
    label: "Yahoo and AOL",
    mxSuffixes: [".yahoodns.net", ".mx.aol.com"],
    limits: { messagesPerConnection: 20 },
    rules: [
      rule(/\[TS01\]/, 2, slow(10), 60),
      rule(/\[TS02\]/, 3, slow(1), 30),
      rule(/\[TS03\]/, 3, slow(10), 30),
      rule(/\[(TSS?04|IPTS04)\]/, 2, pauseReceiver, 120),
      rule(/\[(TSS05|IPTS05)\]/, 2, pauseReceiver, 240),
      refusal(/\[TSS(09|11)\]/, 2, pauseReceiver, 240),
      // The address is on a list of Spamhaus, which most receivers read.
      refusal(/553 5\.7\.1 \[BL2/, 5, pauseSource, 120),
    ],
  },
  {
    name: "apple",
    label: "Apple iCloud",
    mxSuffixes: [".mail.icloud.com"],
    limits: { connections: 10, messagesPerConnection: 5 },
    rules: [
      rule(/\[(BS02|HCM1)\]/, 3, pauseReceiver, 15),
      rule(/service unavailable - try again later/i, 5, pauseReceiver, 15),
      refusal(/mail from ip \S+ was rejected due to listing in spamhaus/i, 5, pauseSource, 120),
      refusal(/blocked - see https:\/\/(ipcheck|support)\.proofpoint\.com/i, 5, pauseReceiver, 240),
    ],
  },
  {
    name: "proton",
    label: "Proton",
    mxSuffixes: [".protonmail.ch", ".proton.ch"],
    limits: { connections: 5, messagesPerConnection: 50 },
    rules: [],
  },
  {
    name: "zoho",
    label: "Zoho",
    mxSuffixes: [".zoho.com", ".zoho.eu", ".zoho.in", ".zoho.com.au", ".zoho.jp", ".zohomail.com"],
    limits: { connections: 5, messagesPerConnection: 50 },
    rules: [],
  },
  {
    name: "fastmail",
    label: "Fastmail",
    mxSuffixes: [".messagingengine.com"],
    limits: { connections: 5, messagesPerConnection: 50 },
    rules: [],
  },
  {
    name: "cloudflare",
    label: "Cloudflare Email Routing",
    mxSuffixes: [".mx.cloudflare.net"],
    limits: {},
    rules: [],
  },
  {
    name: "rackspace",
    label: "Rackspace",
    mxSuffixes: [".emailsrvr.com"],
    limits: {},
    rules: [],
  },
  {
    name: "godaddy",
    label: "GoDaddy",
    mxSuffixes: ["", ".europe", ".asia"].flatMap((region) => [
      `.smtp${region}.secureserver.net`,
      `.mailstore1${region}.secureserver.net`,
    ]),
    limits: { connections: 5 },
    rules: [],
  },
];
