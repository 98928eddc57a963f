/** Returns a text without the message that it quotes at its end, and that quotation; null when it quotes none. */
export function splitQuoted(text: string): { own: string; quoted: string | null } {
  const lines = text.trimEnd().split(/\r\n?|\n/);
  let start = lines.length;
  while (start > 0 && isQuoted(lines[start - 1] ?? "")) start -= 1;
  if (!lines.slice(start).some((line) => line.startsWith(">"))) return { own: text, quoted: null };
  // "On Monday, Ada wrote:", which mail programs wrap after about 76 characters.
  if (lines[start - 1]?.trimEnd().endsWith(":"))
    start -= lines[start - 2]?.trim() && isIntroduction(lines[start - 2]) ? 2 : 1;
  const own = lines.slice(0, start).join("\n").trimEnd();
  return own === "" ? { own: text, quoted: null } : { own, quoted: lines.slice(start).join("\n") };
}

const isQuoted = (line: string): boolean => line.startsWith(">") || line.trim() === "";
const isIntroduction = (line = ""): boolean => /^(on|am|le|el|op|den|il) /i.test(line);
