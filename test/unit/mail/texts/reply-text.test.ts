import { describe, expect, it } from "vitest";
import { replyText } from "../../../../src/mail/texts/reply-text.ts";

const ANSWER = "Thursday suits us.\n\nPlease bring the samples.";

describe("what the author of a reply wrote", () => {
  it.each([
    ["Gmail", `${ANSWER}\n\nOn Mon, Nov 30, 2026 at 9:12 AM Ada Lovelace <ada@example.org> wrote:\n\n> When?\n> Ada\n`],
    [
      "Gmail, wrapped",
      `${ANSWER}\n\nOn Mon, Nov 30, 2026 at 9:12 AM Ada Lovelace <\nada@example.org> wrote:\n\n> When?\n`,
    ],
    ["Apple Mail", `${ANSWER}\n\n> On 30. Nov 2026, at 09:12, Ada <ada@example.org> wrote:\n> \n> When?\n`],
    ["Thunderbird in German", `${ANSWER}\n\nAm 30.11.26 um 09:12 schrieb Ada:\n> Wann?\n`],
    ["Gmail in French", `${ANSWER}\n\nLe lun. 30 nov. 2026 à 09:12, Ada <ada@example.org> a écrit :\n\n> Quand ?\n`],
    ["Gmail in Japanese", `${ANSWER}\n\n2026年11月30日(月) 9:12 Ada <ada@example.org>:\n\n> いつ\n`],
    [
      "Outlook",
      `${ANSWER}\n\nFrom: Ada <ada@example.org>\nSent: Monday, 30 November 2026 09:12\nTo: Bob\nSubject: When\n\nWhen?\n`,
    ],
    [
      "Outlook in German",
      `${ANSWER}\n\nVon: Ada <ada@example.org>\nGesendet: Montag\nAn: Bob\nBetreff: Wann\n\nWann?\n`,
    ],
    ["Outlook Express", `${ANSWER}\n\n-----Original Message-----\nFrom: Ada\n\nWhen?\n`],
    ["a signature", `${ANSWER}\n\n-- \nBob\nThe Tea House\n\n> When?\n`],
    ["a phone", `${ANSWER}\n\nSent from my iPhone\n\nOn 30 Nov 2026, at 09:12, Ada wrote:\n\nWhen?\n`],
    ["answers below the quote", `On Mon, 30 Nov 2026, Ada wrote:\n> When?\n\n${ANSWER}\n-- \nBob\n`],
    ["answers between quotes", `> When?\n\nThursday suits us.\n\n> What shall I bring?\n\nPlease bring the samples.\n`],
    ["line ends of mail", `${ANSWER}\n\nOn 30 Nov 2026, Ada wrote:\n> When?\n`.replaceAll("\n", "\r\n")],
    ["a quote without marks", `${ANSWER}\n\nOn Mon, Nov 30, 2026 at 9:12 AM Ada <ada@example.org> wrote:\n`],
    ["no quote", `${ANSWER}\n`],
  ])("is found with %s", (_, text) => {
    expect(replyText(text)).toBe(ANSWER);
  });

  it.each([
    ["a sentence that ends with a colon before a list", "These are the dates, 3 in all:\n\n- Monday"],
    ["a line that begins with From", "From: here it is two hours by train.\n\nSee you"],
    ["two hyphens within a text", "a -- b\n---\nc"],
    ["wrote in a sentence", "He wrote to me yesterday.\nI wrote back."],
  ])("keeps %s", (_, text) => {
    expect(replyText(text)).toBe(text);
  });

  it("is the whole text when there is nothing but a quote", () => {
    expect(replyText("> When?\n> Ada\n")).toBe("> When?\n> Ada");
    expect(replyText("")).toBe("");
  });
});
