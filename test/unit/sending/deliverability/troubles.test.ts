import { describe, expect, it } from "vitest";
import { NO_COUNTS } from "../../../../src/sending/analytics/index.ts";
import { type SaidReply, sumReplies } from "../../../../src/sending/deliverability/find-replies.ts";
import { type ReceiverName, receiverOf } from "../../../../src/sending/deliverability/receivers.ts";
import { type DmarcDay, findTroubles } from "../../../../src/sending/deliverability/troubles.ts";

const DAY = 20_400;
const said = (changes: Partial<SaidReply>): SaidReply => ({
  ...{ receiver: "gmail", kind: "bounced", reply: "550 5.7.1 refused", count: 5 },
  ...{ first: DAY * 86_400_000, last: DAY * 86_400_000, ...changes },
});
const problems = (troubles: ReturnType<typeof findTroubles>) =>
  troubles.map(({ severity, problem }) => `${severity}: ${problem}`);
const daysOf = (name: ReceiverName, ...days: Partial<typeof NO_COUNTS>[]) =>
  days.map((counts, at) => ({ group: name, day: DAY + at, counts: { ...NO_COUNTS, ...counts } }));
const dmarc = (changes: Partial<DmarcDay>): DmarcDay => ({
  day: DAY,
  messages: 100,
  aligned: 100,
  dkim: 100,
  ...changes,
});

describe("the receiver of a recipient domain", () => {
  it.each<[string, string | null, ReceiverName]>([
    ["gmail.com", null, "gmail"],
    ["firm.example", "google", "gmail"],
    ["hotmail.co.uk", null, "outlook"],
    ["live.com.mx", null, "outlook"],
    ["firm.example", "microsoft-365", "outlook"],
    ["yahoo.com.br", null, "yahoo"],
    ["aol.com", null, "yahoo"],
    ["yahoo.co.jp", null, "others"],
    ["me.com", null, "apple"],
    ["gmail.com.evil.example", null, "others"],
    ["notgmail.com", "gmx", "others"],
  ])("of %s at %s is %s", (domain, system, expected) => {
    expect(receiverOf(domain, system)).toBe(expected);
  });
});

describe("replies", () => {
  it("are alike when they differ in addresses and ids only, and the newest is shown", () => {
    const row = { system: null, kind: "bounced" as const };
    const reply = (id: string, code = "5.7.1") =>
      `550-${code} Our system x${id} refuses mail from 192.0.2.${id} - gsmtp`;
    const rows = [
      { ...row, recipient: "Ada@Gmail.com", at: 5, reply: reply("17") },
      { ...row, recipient: "bob@gmail.com", at: 9, reply: reply("4") },
      { ...row, recipient: "bob@gmail.com", at: 7, reply: reply("4", "5.7.26") },
    ];
    expect(sumReplies(rows)).toEqual([
      { receiver: "gmail", kind: "bounced", reply: reply("4"), count: 2, first: 5, last: 9 },
      { receiver: "gmail", kind: "bounced", reply: reply("4", "5.7.26"), count: 1, first: 7, last: 7 },
    ]);
  });
});

describe("troubles of a month", () => {
  it("are none without mail, and none below the least that says something", () => {
    expect(findTroubles([], [], [])).toEqual([]);
    const few = daysOf("yahoo", { sent: 100, complained: 4, bounced: 90, deferred: 90 });
    expect(findTroubles(few, [said({ count: 4 })], [dmarc({ dkim: 96 })])).toEqual([]);
  });

  it("are replies that block, before those that refuse by a policy, each by its receiver", () => {
    const replies = [
      said({ receiver: "gmail" }),
      said({ receiver: "outlook", reply: "550 5.7.1 part of their network is on our block list (S3140)", count: 9 }),
      said({ receiver: "gmail", kind: "deferred", reply: "421 4.7.0 try again later", count: 90 }),
    ];
    expect(problems(findTroubles([], replies, []))).toEqual([
      "error: Outlook blocks your mail: 9 of its newest replies, on 8 November.",
      "warning: Gmail refuses mail by its policy: 5 of its newest replies, on 8 November.",
    ]);
  });

  it("are days with many complaints, else a month with more than receivers want", () => {
    const peak = daysOf("yahoo", { sent: 1_000, complained: 2 }, { sent: 1_000, complained: 8 }, { sent: 1_000 });
    const [error] = findTroubles(peak, [], []);
    expect(error).toMatchObject({
      ...{ severity: "error", problem: "Complaints at Yahoo and AOL were 0.80 % on 9 November: 8 of 1,000." },
      evidence: ["9 November: 8 of 1,000"],
    });
    const slow = daysOf(
      "yahoo",
      { sent: 1_000, complained: 2 },
      { sent: 1_000, complained: 2 },
      { sent: 1_000, complained: 2 },
    );
    expect(problems(findTroubles(slow, [], []))).toEqual([
      "warning: Complaints at Yahoo and AOL were 0.20 % from 8 November to 10 November: 6 of 3,000.",
    ]);
  });

  it("are no complaints that come in the days after much mail, when little was sent", () => {
    const late = daysOf("yahoo", { sent: 10_000 }, { sent: 20, complained: 5 }, { sent: 10, complained: 4 });
    expect(findTroubles(late, [], [])).toEqual([]);
  });

  it("are receivers where addresses do not work or mail waits", () => {
    expect(problems(findTroubles(daysOf("apple", { sent: 1_000, bounced: 30, deferred: 150 }), [], []))).toEqual([
      "warning: 3.0 % of the addresses at Apple do not work (30).",
      "warning: Apple lets 15 % of the mail wait (150).",
    ]);
  });

  it("are days on which mail passed by SPF and not by DKIM, whatever strangers sent", () => {
    const days = [dmarc({ messages: 900 }), dmarc({ day: DAY + 1, dkim: 20 }), dmarc({ day: DAY + 2, dkim: 60 })];
    expect(problems(findTroubles([], [], days))).toEqual([
      "error: DKIM did not pass for 60 % of your mail from 9 November to 10 November: 120 of 200 messages in DMARC reports.",
    ]);
  });
});
