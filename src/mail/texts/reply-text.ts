/** Lines that an introduction of a quote takes at most, as in "On Monday … <ada@example.org>\nwrote:". */
const MAX_INTRODUCTION = 4;
/** Lines of a header that Outlook copies above the message that it replies to. */
const MAX_COPIED = 8;

/** The end of the line that introduces a quote, in the languages of common mail programs. */
const WROTE =
  /(?:wrote|writes|schrieb|schreibt|a écrit|escribió|escreveu|ha scritto|schreef|skrev|napisał\(a\)|napisał|kirjoitti|пишет|написал|yazdı|写道|のメール|書きました)\s{0,3}:?\s{0,3}$/iu;
/** How introductions begin: with a word before a date, a date, or an address. */
const BEGINS = /^\W{0,3}(?:on|am|le|el|em|il|op|den|dnia|w dniu|\d|.{1,80}@)/iu;
/** Or the author stands between the verb or the date and the colon. Other lines that end with a colon are answers. */
const NAMED = /(?:\s(?:schrieb|schreef|skrev)\s.{1,100}|<[^<>\s]{1,320}@[^<>\s]{1,255}>)\s{0,3}[:：]\s{0,3}$/iu;
/** Signs of a date or an address, and those that no sentence has by chance. */
const [DATED, TIMED] = [/\d|@/, /@|\d[:.h]\d\d/];
const SEPARATOR =
  /^\s{0,3}(?:-{2,}|_{2,})\s{0,3}(?:original message|forwarded message|ursprüngliche nachricht|weitergeleitete nachricht|message d'origine|message transféré|mensaje original|mensagem original|messaggio originale|oorspronkelijk bericht|исходное сообщение)\s{0,3}(?:-{2,}|_{2,})/iu;
const COPIED_FROM = /^\s{0,3}\*?(?:from|von|de|da|van|från|fra|od|от|发件人|差出人)\s{0,3}:\*?\s/iu;
const COPIED_OTHER =
  /^\s{0,3}\*?(?:sent|date|gesendet|datum|envoyé|enviad[oa](?: em| el)?|fecha|data|inviato|verzonden|skickat|sendt|wysłano|отправлено|subject|betreff|objet|asunto|assunto|oggetto|onderwerp|ämne|emne|temat|тема|发送时间|主题|送信日時|宛先|件名)\s{0,3}:\*?\s/iu;
/** Lines that programs of phones add below a text. */
const SENT_FROM =
  /^\s{0,3}(?:sent from (?:my|outlook|yahoo|proton)|get outlook for|von mein(?:em|er) .{1,40} gesendet|envoyé de mon|enviado desde mi|inviato da|verzonden vanaf)/iu;

const isQuote = (line: string) => /^\s{0,3}>/.test(line);

/**
 * Returns what the author of a reply wrote, without quotes, the lines that introduce them, and the signature (RFC 3676 4.3). Quotes between
 * answers go too. Returns the whole text when nothing else is left. Looks at each line a bounded number of times. Pure.
 */
export function replyText(text: string): string {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  const end = lines.findIndex((line, at) => endsReply(lines, line, at));
  const own = end < 0 ? lines : lines.slice(0, end);
  const kept: string[] = [];
  for (const line of own) {
    if (!isQuote(line)) kept.push(line);
    else if (kept.at(-1) !== QUOTE) {
      dropIntroduction(kept, true);
      kept.push(QUOTE);
    }
  }
  // A reply that ends with its introduction quotes below it without marks, or its quote was cut.
  dropIntroduction(kept, false);
  const reply = kept
    .filter((line) => line !== QUOTE)
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
  return reply === "" ? text.trim() : reply;
}

/** Stands for the lines of a quote. No line has a line break. */
const QUOTE = "\n";

function endsReply(lines: readonly string[], line: string, at: number): boolean {
  if (line === "-- " || (line === "--" && lines[at - 1]?.trim() === "") || SEPARATOR.test(line) || SENT_FROM.test(line))
    return true;
  // A person may write "From: 3 May" and "Date: …"; programs copy the date and the subject.
  return (
    COPIED_FROM.test(line) && lines.slice(at + 1, at + MAX_COPIED).filter((one) => COPIED_OTHER.test(one)).length > 1
  );
}

/** Removes the lines at the end that introduce a quote, which a mail program may have wrapped. */
function dropIntroduction(lines: string[], isBeforeQuote: boolean): void {
  const last = lines.findLastIndex((line) => line === QUOTE || line.trim() !== "");
  const line = lines[last] ?? "";
  const from = Math.max(0, last + 1 - MAX_INTRODUCTION);
  const empty = lines.slice(from, last).findLastIndex((one) => one.trim() === "");
  const begin = from + empty + 1;
  const paragraph = lines.slice(begin, last + 1).join(" ");
  const isNamed = WROTE.test(paragraph) || (isBeforeQuote && NAMED.test(paragraph));
  const isIntroduction = isNamed && (isBeforeQuote ? DATED : TIMED).test(paragraph);
  const isBegin = begin === 0 || empty >= 0 || lines[begin - 1] === QUOTE;
  if (isIntroduction && isBegin && BEGINS.test(paragraph)) lines.length = begin;
  else if (isBeforeQuote && WROTE.test(line)) lines.length = last;
}
