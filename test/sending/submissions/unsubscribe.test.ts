import { beforeEach, describe, expect, it } from "vitest";
import { CFBL_DKIM_KEY, dkimRecordsOf, verifyDkim } from "../../support/cfbl.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { sentBy } from "../../support/smtp-control.ts";
import { aSubmitter } from "../../support/submissions.ts";
import { aTopic } from "../../support/topics.ts";
import { apiWith, aWorkspace, perTest } from "../../support/workspace.ts";
import { messagesOf } from "./support.ts";

const OWN = { Date: "Sat, 21 Nov 2026 20:00:00 +0100", "Message-ID": "<own@client.example>" };
const OFFER = { ...OWN, "Offer-Unsubscribe": "true" };

const workspace = perTest(aWorkspace);
let message: ReturnType<typeof messagesOf>["message"];
let submit: Awaited<ReturnType<typeof aSubmitter>>["submit"];

beforeEach(async () => {
  ({ message } = messagesOf(workspace));
  ({ submit } = await aSubmitter(workspace));
});

/** Delivers what is due and returns the messages that left. */
async function leaving(): Promise<{ raw: Uint8Array; text: string }[]> {
  const messages = await sentBy((EGRESS_URL) => runOutboxAt(Date.now(), { EGRESS_URL, CFBL_DKIM_KEY }));
  return messages.map(({ raw }) => ({ raw, text: new TextDecoder().decode(raw) }));
}

const unfolded = (text: string) => text.replace(/\r\n[ \t]/g, " ");

describe("Offer-Unsubscribe of a submitted message", () => {
  it.each([
    ["small", "Hello.\n"],
    ["large", "A line of text.\n".repeat(20_000)],
  ])(
    "adds the fields of an unsubscribe and for complaints to a %s message, which all signatures cover, and is removed",
    async (_size, body) => {
      await submit(message(OFFER, body));
      const [mail] = await leaving();
      const { raw, text } = mail ?? { raw: new Uint8Array(0), text: "" };
      const own = text.replace(/^(DKIM-Signature:.*\r\n(?:[ \t].*\r\n)*){3}/, "");
      const [head = ""] = own.split("\r\n\r\n");
      expect(own.slice(head.length)).toBe(message(OWN, body).slice(message(OWN, body).indexOf("\r\n\r\n")));
      expect(head.startsWith(message(OWN, "").trimEnd())).toBe(true);
      const added = unfolded(head).split("\r\n").slice(5);
      expect(added.map((field) => field.slice(0, field.indexOf(":")))).toEqual([
        "Feedback-ID",
        "CFBL-Address",
        "CFBL-Feedback-ID",
        "List-Unsubscribe",
        "List-Unsubscribe-Post",
      ]);
      const results = await verifyDkim(raw, dkimRecordsOf(workspace));
      expect(results.map((result) => result.split(" ").at(-1))).toEqual(["pass", "pass", "pass"]);
      expect(unfolded(text).match(/ h=[^;]*List-Unsubscribe-Post/g)).toHaveLength(3);
    },
  );

  it("lets the recipient unsubscribe, which stops later messages with it and no other ones", async () => {
    await submit(message({ ...OFFER, "Offer-Unsubscribe": "TRUE" }));
    const [mail] = await leaving();
    const [, link = ""] = /List-Unsubscribe: <([^>]*)>/.exec(unfolded(mail?.text ?? "")) ?? [];
    expect((await apiWith(null).call("POST", new URL(link).pathname)).status).toBe(200);
    await submit(message({ ...OFFER, Subject: "stopped" }));
    await submit(message({ ...OWN, Subject: "not stopped" }));
    expect((await leaving()).map(({ text }) => /^Subject: (.*)\r$/m.exec(text)?.[1])).toEqual(["not stopped"]);
  });

  it("is refused with another value, twice, with several recipients, and beside List-Unsubscribe of the client", async () => {
    const refused: [Record<string, string>, string[], string][] = [
      [{ "Offer-Unsubscribe": "yes" }, ["a@example.org"], "554 5.6.0 Offer-Unsubscribe must be true"],
      [
        { "Offer-Unsubscribe": "true", "offer-unsubscribe": "true" },
        ["a@example.org"],
        "554 5.6.0 the header has more than one offer-unsubscribe field",
      ],
      [
        { "Offer-Unsubscribe": "true" },
        ["a@example.org", "b@example.org"],
        "554 5.6.0 the message has 2 recipients; with Offer-Unsubscribe it may have one",
      ],
      [
        { "Offer-Unsubscribe": "true", "list-unsubscribe": "<mailto:a@b.example>" },
        ["a@example.org"],
        "554 5.6.0 the field List-Unsubscribe is written by the service with Offer-Unsubscribe",
      ],
    ];
    for (const [head, to, reply] of refused) expect((await submit(message(head), to)).reply).toBe(reply);
    expect(await leaving()).toEqual([]);
  });

  it("is not needed beside Unsubscribe-Topic, which names the topic of the message and does not leave", async () => {
    const { id } = await aTopic(workspace);
    const ofTopic = { ...OWN, "Unsubscribe-Topic": id };
    await submit(message(ofTopic));
    const [mail] = await leaving();
    expect(mail?.text).toContain("List-Unsubscribe-Post: List-Unsubscribe=One-Click");
    expect(mail?.text).not.toContain("Unsubscribe-Topic");
    const [, link = ""] = /List-Unsubscribe: <([^>]*)>/.exec(unfolded(mail?.text ?? "")) ?? [];
    await apiWith(null).call("POST", new URL(link).pathname);
    await submit(message({ ...ofTopic, Subject: "stopped" }));
    await submit(message({ ...OFFER, Subject: "not stopped" }));
    expect((await leaving()).map(({ text }) => /^Subject: (.*)\r$/m.exec(text)?.[1])).toEqual(["not stopped"]);
    const foreign = await aTopic(await aWorkspace());
    for (const [value, to, reply] of [
      [foreign.id, ["a@example.org"], "550 5.7.1 No topic has this id"],
      ["x", ["a@example.org"], "554 5.6.0 Unsubscribe-Topic must be the id of a topic"],
      [
        id,
        ["a@example.org", "b@example.org"],
        "554 5.6.0 the message has 2 recipients; with Unsubscribe-Topic it may have one",
      ],
    ] as const)
      expect((await submit(message({ ...OWN, "Unsubscribe-Topic": value }), [...to])).reply).toBe(reply);
    expect(await leaving()).toEqual([]);
  });
});
