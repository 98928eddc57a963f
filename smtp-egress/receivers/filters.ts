import { bounce, pauseReceiver, type Receiver, refusal, rule, slow } from "./types.ts";

/** Services that filter the mail of companies. */
export const filters: readonly Receiver[] = [
  {
    name: "mimecast",
    label: "Mimecast",
    mxSuffixes: [".mimecast.com", ".mimecast.co.za", ".mimecast-offshore.com"],
    limits: { connections: 10, messagesPerConnection: 100 },
    rules: [
      // "Internal resource temporarily unavailable" is its greylisting, of which a domain has one a sender: nothing slows down.
      rule(/ip temporarily blacklisted/i, 3, pauseReceiver, 15),
      bounce(/421 sender address blocked|account inbounds disabled/i),
    ],
  },
  {
    name: "proofpoint",
    label: "Proofpoint",
    mxSuffixes: [".pphosted.com", ".ppe-hosted.com"],
    limits: { connections: 10, messagesPerConnection: 50 },
    rules: [
      rule(/deferred - see https:\/\/(ipcheck|support)\.proofpoint\.com/i, 3, pauseReceiver, 30),
      refusal(/blocked - see https:\/\/(ipcheck|support)\.proofpoint\.com/i, 5, pauseReceiver, 240),
    ],
  },
  {
    name: "barracuda",
    label: "Barracuda",
    mxSuffixes: [".barracudanetworks.com"],
    limits: { connections: 10, messagesPerConnection: 15 },
    rules: [
      // Half an hour is the time over which it counts.
      rule(/rate control/i, 2, pauseReceiver, 30),
      bounce(/policy rejection- abuse\. go away/i),
    ],
  },
  {
    name: "cisco",
    label: "Cisco Secure Email",
    mxSuffixes: [".iphmx.com"],
    limits: { connections: 5, messagesPerConnection: 10 },
    rules: [
      rule(/too many (recipients|connections) received this hour/i, 2, slow(1), 60),
      refusal(/rejected due to the sending mta's poor reputation/i, 3, pauseReceiver, 240),
    ],
  },
  {
    name: "symantec",
    label: "Symantec Email Security.cloud",
    mxSuffixes: [".messagelabs.com"],
    limits: { connections: 10 },
    rules: [rule(/421 service temporarily unavailable/i, 5, slow(10), 15)],
  },
  {
    name: "trend-micro",
    label: "Trend Micro",
    mxSuffixes: [".tmes.trendmicro.com", ".tmes.trendmicro.eu", ".in.hes.trendmicro.com", ".in.hes.trendmicro.eu"],
    limits: {},
    rules: [],
  },
  {
    name: "vade",
    label: "Vade",
    mxSuffixes: [".vadesecure.com", ".oxsus-vadesecure.net"],
    limits: { connections: 5, messagesPerConnection: 50 },
    rules: [],
  },
  { name: "sophos", label: "Sophos", mxSuffixes: [".hydra.sophos.com"], limits: {}, rules: [] },
  { name: "hornetsecurity", label: "Hornetsecurity", mxSuffixes: [".hornetsecurity.com"], limits: {}, rules: [] },
];
