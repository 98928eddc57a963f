/** Returns a name without letter case and punctuation. */
export const lettersOf = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, "");

/** Returns whether two names have the same letters, or from four letters on differ by one that is added, left out, replaced or moved. */
export function isClose(name: string, known: string): boolean {
  const [a, b] = [lettersOf(name), lettersOf(known)];
  if (a === b || b.length < 4 || Math.abs(a.length - b.length) > 1) return a === b;
  const others = new Set(shortened(b));
  return shortened(a).some((text) => others.has(text));
}

/** Returns a text, and the text without each one of its letters. */
const shortened = (text: string) => [text, ...Array.from(text, (_, at) => text.slice(0, at) + text.slice(at + 1))];
