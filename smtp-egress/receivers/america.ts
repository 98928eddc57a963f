import { oneConnection, pauseReceiver, pauseSource, refusal, rule, slow } from "./rule.ts";
import type { Receiver } from "./types.ts";

/** Internet providers of America. */
export const america: readonly Receiver[] = [
  {
    name: "comcast",
    label: "Comcast",
    mxSuffixes: [".comcast.net"],
    limits: { connections: 25, messagesPerConnection: 1_000 },
    rules: [
      rule(/\bRL0000/, 2, slow(160), 120),
      refusal(/\bBL0000(00|10)\b/, 3, pauseReceiver, 120),
      // On the Zen list of Spamhaus.
      refusal(/\bBL000001\b/, 5, pauseSource, 120),
    ],
  },
  {
    name: "charter",
    label: "Charter Spectrum",
    mxSuffixes: [".charter.net", ".rr.com", ".twc.com"],
    limits: { connections: 5, messagesPerConnection: 50 },
    rules: [
      refusal(/\bAUP#(I-)?1[34]\d\d\b/, 2, slow(10), 60),
      refusal(/\bAUP#(I-)?1540\b/, 3, oneConnection, 60),
      refusal(/\bAUP#(I-)?(1000|12[01]0)\b/, 3, pauseReceiver, 240),
      refusal(/\bAUP#(I-)?12[2-5]0\b/, 5, pauseSource, 120),
    ],
  },
  {
    name: "cox",
    label: "Cox",
    mxSuffixes: [".cox.net"],
    limits: { connections: 5, messagesPerConnection: 100 },
    rules: [
      rule(/\bAUP#(CXCNCT)\b|too many sessions from/i, 2, oneConnection, 60),
      refusal(/\bAUP#CXMXRT\b|message threshold exceeded/i, 2, slow(10), 60),
      refusal(/\bAUP#(CXBL|CDRBL)\b/, 3, pauseReceiver, 240),
      refusal(/\bAUP#IPBL0*1\b/, 5, pauseSource, 120),
    ],
  },
  {
    name: "att",
    label: "AT&T",
    mxSuffixes: [".prodigy.net", ".att.net"],
    limits: { connections: 5, messagesPerConnection: 50 },
    rules: [],
  },
  { name: "earthlink", label: "EarthLink", mxSuffixes: [".earthlink.net"], limits: { connections: 5 }, rules: [] },
  { name: "telus", label: "Telus", mxSuffixes: [".telus.net"], limits: { connections: 5 }, rules: [] },
  { name: "uol", label: "UOL", mxSuffixes: [".uol.com.br"], limits: { connections: 5 }, rules: [] },
];
