import { oneConnection, pauseReceiver, pauseSource, type Receiver, refusal, rule, slow } from "./types.ts";

const tooManyConnections = /trop de connexions|too many connections/i;

/** Mailbox services and internet providers of Europe. Where customers have hosts below the same domain, the MX hosts are named whole. */
export const europe: readonly Receiver[] = [
  {
    name: "gmx",
    label: "GMX and WEB.DE",
    mxSuffixes: [".gmx.net", ".web.de", ".mail.com"],
    limits: { connections: 4, messagesPerConnection: 20 },
    rules: [
      rule(/too many connections/i, 3, oneConnection, 30),
      rule(/rate limit reached/i, 2, slow(10), 60),
      rule(/reject due to policy violations/i, 5, pauseReceiver, 60),
      rule(/reject due to policy restrictions/i, 5, slow(1), 60),
      refusal(/ip address is (black|block) ?listed/i, 2, pauseReceiver, 240),
    ],
  },
  {
    name: "ionos",
    label: "IONOS",
    mxSuffixes: [".kundenserver.de", ".ionos.de", ".ionos.com", ".ionos.co.uk", ".ionos.fr", ".ionos.es", ".1and1.com"],
    limits: { connections: 4, messagesPerConnection: 20 },
    rules: [
      rule(/reject due to policy violations/i, 5, pauseReceiver, 60),
      refusal(/ip address is (black|block) ?listed/i, 2, pauseReceiver, 240),
    ],
  },
  {
    name: "t-online",
    label: "T-Online",
    mxSuffixes: [".t-online.de"],
    limits: { connections: 5, messagesPerConnection: 20 },
    rules: [refusal(/\b(tosa|toda|tobr)@rx\.t-online\.de/i, 2, pauseReceiver, 240)],
  },
  {
    name: "orange",
    label: "Orange",
    mxSuffixes: [".smtp-in.orange.fr", ".smtp-in.wanadoo.fr"],
    limits: { connections: 2, messagesPerConnection: 75 },
    rules: [
      rule(tooManyConnections, 2, oneConnection, 60),
      refusal(/blocked for spamming issues|adresse ip source bloquee/i, 5, pauseReceiver, 120),
      refusal(/service refuse/i, 2, pauseReceiver, 60),
    ],
  },
  {
    name: "laposte",
    label: "La Poste",
    mxSuffixes: [".laposte.net"],
    limits: { connections: 2, messagesPerConnection: 100 },
    rules: [
      rule(tooManyConnections, 2, oneConnection, 60),
      refusal(/\bLPN\w*_101\b/, 5, pauseSource, 120),
      refusal(/\bLPN\w*_102\b/, 5, pauseReceiver, 240),
      refusal(/service refuse/i, 3, pauseReceiver, 60),
    ],
  },
  {
    name: "free",
    label: "Free",
    mxSuffixes: [".mx1.free.fr", ".mx2.free.fr"],
    limits: { connections: 2, messagesPerConnection: 50 },
    rules: [refusal(/too many (spams|errors) from your ip/i, 2, pauseReceiver, 240)],
  },
  { name: "sfr", label: "SFR", mxSuffixes: [".smtp-in.sfr.fr"], limits: { connections: 2 }, rules: [] },
  { name: "ovh", label: "OVHcloud", mxSuffixes: [".mail.ovh.net"], limits: {}, rules: [] },
  { name: "gandi", label: "Gandi", mxSuffixes: [".mail.gandi.net"], limits: {}, rules: [] },
  {
    name: "infomaniak",
    label: "Infomaniak",
    mxSuffixes: [".mta-gw.infomaniak.ch", ".mail.infomaniak.ch"],
    limits: {},
    rules: [],
  },
  { name: "kpn", label: "KPN", mxSuffixes: [".kpnmail.nl"], limits: { messagesPerConnection: 10 }, rules: [] },
  { name: "libero", label: "Libero", mxSuffixes: [".smtp-in.libero.it"], limits: { connections: 3 }, rules: [] },
  { name: "seznam", label: "Seznam", mxSuffixes: [".seznam.cz"], limits: { connections: 5 }, rules: [] },
  {
    name: "mail-ru",
    label: "Mail.ru",
    mxSuffixes: [".mail.ru"],
    limits: { connections: 5, messagesPerConnection: 50 },
    rules: [rule(/421 try again later/i, 5, slow(10), 30)],
  },
  {
    name: "yandex",
    label: "Yandex",
    mxSuffixes: [".yandex.ru", ".yandex.net"],
    limits: { connections: 5, messagesPerConnection: 50 },
    rules: [refusal(/client host \S+ blocked using|blocked by spam statistics/i, 3, pauseReceiver, 240)],
  },
  { name: "rambler", label: "Rambler", mxSuffixes: [".rambler.ru"], limits: { connections: 5 }, rules: [] },
];
