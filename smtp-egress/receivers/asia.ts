import { oneConnection, pauseReceiver, type Receiver, refusal, rule } from "./types.ts";

/** Mailbox services and internet providers of Asia. */
export const asia: readonly Receiver[] = [
  {
    name: "qq",
    label: "QQ",
    mxSuffixes: [".qq.com"],
    limits: { connections: 4, messagesPerConnection: 8 },
    rules: [refusal(/(ip|connection|sender|domain) frequency limited/i, 5, pauseReceiver, 60)],
  },
  {
    name: "netease",
    label: "NetEase",
    mxSuffixes: [".netease.com"],
    limits: { connections: 4, messagesPerConnection: 7 },
    rules: [
      rule(/451 DT:SPM/, 5, pauseReceiver, 15),
      rule(/554 DT:SPM/, 2, oneConnection, 60),
      rule(/too many connections/i, 2, oneConnection, 60),
      // The quota of a day is used up.
      refusal(/\b(RP:ORQ|HL:ITC)\b/, 2, pauseReceiver, 60),
    ],
  },
  {
    name: "yahoo-japan",
    label: "Yahoo Japan",
    mxSuffixes: [".yahoo.co.jp"],
    limits: { connections: 2, messagesPerConnection: 20, messagesPerMinute: 600 },
    rules: [
      refusal(/VS98-IP0 deferred/, 2, pauseReceiver, 60),
      rule(/\[(TSS04|IPTS04)\]/, 2, pauseReceiver, 60),
      rule(/timeout waiting for command/i, 2, pauseReceiver, 30),
    ],
  },
  {
    name: "netvigator",
    label: "Netvigator",
    mxSuffixes: [".netvigator.com"],
    limits: { connections: 5, messagesPerConnection: 10 },
    rules: [rule(/too many messages for this session/i, 3, pauseReceiver, 30)],
  },
  { name: "naver", label: "Naver", mxSuffixes: [".naver.com"], limits: { connections: 4 }, rules: [] },
  { name: "daum", label: "Daum", mxSuffixes: [".daum.net", ".hanmail.net"], limits: { connections: 4 }, rules: [] },
  { name: "docomo", label: "NTT Docomo", mxSuffixes: [".mfsmax.docomo.ne.jp"], limits: { connections: 2 }, rules: [] },
];
