import { oneConnection, pauseReceiver, type Receiver, refusal, rule, slow } from "./types.ts";

/**
 * Internet providers of America. Their customers have hosts below the same domains, so the names are those of the MX hosts alone, and
 * no rule stops the mail to others.
 */
export const america: readonly Receiver[] = [
  {
    name: "comcast",
    label: "Comcast",
    mxSuffixes: [
      ".mxge.comcast.net",
      ...["mx1", "mx2", "mx1a1", "mx2a1", "mx1c1", "mx2c1", "mx1h1", "mx2h1"].map((host) => `.${host}.comcast.net`),
    ],
    limits: { connections: 25, messagesPerConnection: 1_000 },
    rules: [rule(/\bRL0000/, 2, slow(160), 120), refusal(/\bBL0000(00|01|10)\b/, 3, pauseReceiver, 120)],
  },
  {
    name: "charter",
    label: "Charter Spectrum",
    mxSuffixes: [".msg.pkvw.co.charter.net", ".mx0.charter.net", ".email.rr.com"],
    limits: { connections: 5, messagesPerConnection: 50 },
    rules: [
      refusal(/\bAUP#(I-)?1[34]\d\d\b/, 2, slow(10), 60),
      refusal(/\bAUP#(I-)?1540\b/, 3, oneConnection, 60),
      refusal(/\bAUP#(I-)?(1000|12[0-5]0)\b|connection rejected - see/i, 3, pauseReceiver, 240),
    ],
  },
  {
    name: "cox",
    label: "Cox",
    mxSuffixes: [".cxr.mx.a.cloudfilter.net"],
    limits: { connections: 5, messagesPerConnection: 100 },
    rules: [
      rule(/\bAUP#CXCNCT\b|too many sessions from/i, 2, oneConnection, 60),
      refusal(/\bAUP#CXMXRT\b|message threshold exceeded/i, 2, slow(10), 60),
      refusal(/\bAUP#(CXBL|CDRBL|IPBL[01]{4,5})\b/, 3, pauseReceiver, 240),
    ],
  },
  {
    name: "att",
    label: "AT&T",
    mxSuffixes: [".prodigy.net"],
    limits: { connections: 5, messagesPerConnection: 50 },
    rules: [refusal(/DNSBL:RBL 521</, 3, pauseReceiver, 240)],
  },
  { name: "uol", label: "UOL", mxSuffixes: [".mx.uol.com.br"], limits: { connections: 5 }, rules: [] },
];
