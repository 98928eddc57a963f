import { de } from "./de.ts";
import { en, type RecipientTexts } from "./en.ts";

const LANGUAGES: Readonly<Record<string, RecipientTexts>> = { en, de };

/** Returns the texts in a language. Null, and a language without texts: English. */
export const textsIn = (language: string | null): RecipientTexts => LANGUAGES[language ?? ""] ?? en;

/** Returns the language with texts that a visitor prefers most by the header Accept-Language (RFC 9110 12.5.4). Pure. */
export function preferredLanguage(header: string): string {
  const wanted = header.split(",").map((range) => {
    const [tag = "", quality = "1"] = range.toLowerCase().split(";q=");
    return { language: tag.trim().split("-")[0] ?? "", quality: Number(quality) || 0 };
  });
  const [best] = wanted
    .filter(({ language, quality }) => quality > 0 && Object.hasOwn(LANGUAGES, language))
    .toSorted((a, b) => b.quality - a.quality);
  return best?.language ?? "en";
}
