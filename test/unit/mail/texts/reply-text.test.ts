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
    ["dates after From", "The dates are:\nFrom: 3 May\nDate: until 9 May\nTotal: 6 nights\n\nPlease book.\nAda"],
    ["dates after Von", "Bitte ändern:\n\nVon: 3. Mai\nDatum: 9. Mai\n\nDanke\nAda"],
    ["places after Van", "Hoi,\n\nVan: Utrecht\nDatum: 3 mei\nAantal: 2\n\nGroet"],
    ["a table", "Item  Price\n--\nbag  5\n\nPlease ship it."],
    ["a sentence that ends with wrote", "Hello,\n\nHere is what the man wrote:"],
    ["a paragraph that ends with schrieb", "Am Montag kam das Paket.\nOhne Gürtel, obwohl Ihr Kollege das schrieb:"],
  ])("keeps %s", (_, text) => {
    expect(replyText(text)).toBe(text);
  });

  it.each([
    ["a time", "> Wann?\nAm 3. Mai um 10:\n> Wie viele?\nZwei", "Am 3. Mai um 10:\nZwei"],
    ["a condition", "> When?\nOn 3 May, if you tell me this:\n> How?\nTwo", "On 3 May, if you tell me this:\nTwo"],
    [
      "an address",
      "My number, or ada@example.org for this:\n> Who?\nAda",
      "My number, or ada@example.org for this:\nAda",
    ],
    [
      "a paragraph",
      "Am Montag kam das Paket.\nSie schrieb:\n> Gürtel\nEr fehlt.",
      "Am Montag kam das Paket.\nEr fehlt.",
    ],
  ])("keeps an answer between quotes that ends with a colon: %s", (_, text, reply) => {
    expect(replyText(text)).toBe(reply);
  });

  it.each([
    ["Dutch", "Ja.\n\nOp ma 3 mei 2026 om 10:00 schreef Shop <shop@example.org>:\n\n> Hoi", "Ja."],
    ["Polish", "Tak.\n\npon., 3 maj 2026 o 10:00 Sklep <shop@example.org> napisał(a):\n\n> Hej", "Tak."],
    [
      "Japanese, Outlook",
      "はい\n\n差出人: S <s@example.org>\n送信日時: 2026年5月3日\n宛先: A\n件名: 値段\n\nこ",
      "はい",
    ],
    ["Polish, Outlook", "Tak.\n\nOd: S <s@example.org>\nWysłano: 3 maja\nDo: A\nTemat: Cena\n\nHej", "Tak."],
  ])("leaves out a quote in %s", (_, text, reply) => {
    expect(replyText(text)).toBe(reply);
  });

  it("is the whole text when there is nothing but a quote", () => {
    expect(replyText("> When?\n> Ada\n")).toBe("> When?\n> Ada");
    expect(replyText("")).toBe("");
  });
});
