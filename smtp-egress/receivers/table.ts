import type { Action, PaceLimits, Receiver, ReplyRule } from "./types.ts";

/** Limits of a receiver that has none of its own. */
export const defaultLimits: PaceLimits = { connections: 10, messagesPerConnection: 100, messagesPerMinute: 6_000 };

const pauseReceiver: Action = { kind: "pause-receiver" };
const oneConnection: Action = { kind: "narrow", connections: 1 };
const slow = (messagesPerMinute: number): Action => ({ kind: "slow", messagesPerMinute });

/** Returns a rule. */
const rule = (pattern: RegExp, threshold: number, action: Action, minutes: number): ReplyRule => ({
  pattern,
  threshold,
  action,
  minutes,
});

/** Rules of every receiver, after its own: words that many mail systems use. */
export const commonRules: readonly ReplyRule[] = [
  rule(/temporarily deferred/i, 1, slow(1), 90),
  rule(/will be permanently deferred/i, 1, pauseReceiver, 240),
  rule(/temporarily rate limited|rate limit(ed)? exceeded|sending rate/i, 1, slow(1), 90),
  rule(/too many connections|exceeded? (the )?max(imum)? (number of )?(concurrent )?connections/i, 2, oneConnection, 60),
  rule(/\b(spamhaus|barracudacentral|spamcop)\b/i, 5, { kind: "pause-source" }, 120),
];

/**
 * The mail systems that most mail goes to. Limits and texts of replies are those that the providers publish or that operators have
 * measured (KumoMTA's public shaping files, postmaster pages of the providers; read 2026-11). A receiver is found by the name of
 * its MX host, so it has every domain that is hosted there.
 */
export const receivers: readonly Receiver[] = [
  {
    name: "google",
    label: "Google",
    mxSuffixes: [".google.com", ".googlemail.com"],
    limits: { connections: 5, messagesPerConnection: 50 },
    rules: [
      rule(/unusual rate of unsolicited mail/i, 2, slow(10), 30),
      rule(/receiving mail at a rate that prevents/i, 2, slow(10), 30),
      rule(/our system has detected that this message/i, 5, pauseReceiver, 60),
    ],
  },
  {
    name: "outlook",
    label: "Outlook",
    mxSuffixes: [".olc.protection.outlook.com"],
    limits: { connections: 5, messagesPerConnection: 50 },
    rules: [
      rule(/part of their network is on our block list/i, 5, pauseReceiver, 120),
      rule(/has been temporarily rate limited due to ip reputation/i, 3, pauseReceiver, 30),
      rule(/access denied, please try again later/i, 5, pauseReceiver, 60),
      rule(/server busy\. please try again later/i, 3, slow(1), 15),
      rule(/exceeded maximum number of messages per connection/i, 2, oneConnection, 60),
      rule(/max concurrent connections\. ib007/i, 2, oneConnection, 60),
    ],
  },
  {
    name: "microsoft-365",
    label: "Microsoft 365",
    mxSuffixes: [".mail.protection.outlook.com", ".mx.microsoft"],
    limits: { connections: 5, messagesPerConnection: 50 },
    rules: [
      rule(/access denied, banned sending ip/i, 3, { kind: "pause-source" }, 120),
      rule(/server busy\. please try again later/i, 3, slow(1), 15),
    ],
  },
  {
    name: "yahoo",
    label: "Yahoo",
    mxSuffixes: [".yahoodns.net"],
    limits: { messagesPerConnection: 20 },
    rules: [
      rule(/\[TS02\]/, 3, slow(1), 30),
      rule(/\[TS03\]/, 3, slow(10), 30),
      rule(/\[(TSS?04|IPTS04)\]/, 2, pauseReceiver, 120),
      rule(/\[(TSS05|IPTS05)\]/, 2, pauseReceiver, 240),
      rule(/553 5\.7\.1 \[BL/, 5, { kind: "pause-source" }, 120),
      rule(/max message per connection reached/i, 3, slow(10), 60),
    ],
  },
  {
    name: "yahoo-japan",
    label: "Yahoo Japan",
    mxSuffixes: [".yahoo.co.jp"],
    limits: { connections: 2, messagesPerConnection: 20, messagesPerMinute: 600 },
    rules: [
      rule(/VS98-IP0 deferred/, 2, pauseReceiver, 60),
      rule(/\[(TSS04|IPTS04)\]/, 2, pauseReceiver, 60),
    ],
  },
  {
    name: "apple",
    label: "Apple",
    mxSuffixes: [".icloud.com"],
    limits: { connections: 10, messagesPerConnection: 5 },
    rules: [
      rule(/\[(BS02|HCM1)\]/, 3, pauseReceiver, 15),
      rule(/service unavailable - try again later/i, 5, pauseReceiver, 15),
      rule(/domain present in the spamhaus dbl/i, 3, pauseReceiver, 240),
    ],
  },
  {
    name: "gmx",
    label: "GMX and WEB.DE",
    mxSuffixes: [".gmx.net", ".web.de"],
    limits: { connections: 4, messagesPerConnection: 20 },
    rules: [
      rule(/reject due to policy violations/i, 5, pauseReceiver, 60),
      rule(/reject due to policy restrictions/i, 5, slow(1), 60),
    ],
  },
  {
    name: "orange",
    label: "Orange",
    mxSuffixes: [".orange.fr"],
    limits: { connections: 3 },
    rules: [
      rule(/trop de connexions/i, 2, oneConnection, 60),
      rule(/service refuse/i, 2, pauseReceiver, 60),
      rule(/blocked for spamming issues/i, 5, { kind: "pause-source" }, 120),
    ],
  },
  {
    name: "qq",
    label: "QQ",
    mxSuffixes: [".qq.com"],
    limits: { connections: 4, messagesPerConnection: 8 },
    rules: [
      rule(/(ip|connection) frequency limited/i, 5, { kind: "pause-receiver" }, 60),
      rule(/(sender|domain) frequency limited/i, 5, pauseReceiver, 60),
    ],
  },
  {
    name: "netease",
    label: "NetEase",
    mxSuffixes: [".netease.com"],
    limits: { connections: 4, messagesPerConnection: 7 },
    rules: [
      rule(/\bDT:SPM\b/, 3, pauseReceiver, 15),
      rule(/\b(RP:ORQ|HL:ITC)\b/, 2, pauseReceiver, 60),
    ],
  },
  {
    name: "mimecast",
    label: "Mimecast",
    mxSuffixes: [".mimecast.com", ".mimecast.co.za", ".mimecast-offshore.com"],
    limits: { connections: 10, messagesPerConnection: 100 },
    rules: [rule(/internal resource temporarily unavailable/i, 3, pauseReceiver, 30)],
  },
  { name: "proofpoint", label: "Proofpoint", mxSuffixes: [".pphosted.com", ".ppe-hosted.com"], limits: {}, rules: [] },
  {
    name: "comcast",
    label: "Comcast",
    mxSuffixes: [".comcast.net"],
    limits: { connections: 25, messagesPerConnection: 1_000 },
    rules: [rule(/\bRL0000/, 2, slow(160), 120)],
  },
  {
    name: "barracuda",
    label: "Barracuda",
    mxSuffixes: [".barracudanetworks.com"],
    limits: { connections: 10, messagesPerConnection: 15 },
    rules: [],
  },
  { name: "kpn", label: "KPN", mxSuffixes: [".kpnmail.nl"], limits: { messagesPerConnection: 10 }, rules: [] },
  {
    name: "netvigator",
    label: "Netvigator",
    mxSuffixes: [".netvigator.com"],
    limits: { connections: 5, messagesPerConnection: 10 },
    rules: [rule(/too many messages for this session/i, 3, pauseReceiver, 30)],
  },
];
