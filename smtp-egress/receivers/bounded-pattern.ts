/** Longest pattern, in characters. */
const MAX_LENGTH = 200;
/** Most ways in which a pattern may try to match at one place of a reply. */
const MAX_WAYS = 10_000;
/** Ways of a repetition without end: a reply has at most so many characters of text. */
const ENDLESS = 512;
const SET = /\[(?:\\.|[^\]\\])+\]/y;
const ESCAPE = /\\(?:[dwsDWSbB]|[^A-Za-z0-9])/y;
const REPEAT = /(?:[*+?]|\{(\d{1,3})(,(\d{0,3}))?\})\??/y;

/**
 * Returns the pattern of an operator, in any case of letters. So that no reply can hold up the program for long, it has no repeated
 * groups, no references, no look-around, and at most one repetition without end beside short ones: the ways to match are counted and
 * bounded, tens of milliseconds for a reply. Throws an Error that says what is wrong.
 */
export function boundedPattern(text: string): RegExp {
  if (text === "") throw new Error("is empty and would match every reply");
  if (text.length > MAX_LENGTH) throw new Error(`has ${text.length} characters; the limit is ${MAX_LENGTH}`);
  const end = { at: 0 };
  const ways = countWays(text, end, 0);
  if (end.at < text.length) throw new Error(`has a ")" without "(" at character ${end.at + 1}`);
  if (ways > MAX_WAYS)
    throw new Error("could take long: use at most one *, + or {n,}, and short repetitions such as {1,3}");
  const pattern = compile(text);
  // V8 interprets a pattern at its first use, which takes five times as long, and compiles it for the next.
  pattern.test("");
  return pattern;
}

function compile(text: string): RegExp {
  try {
    return new RegExp(text, "i");
  } catch (error) {
    throw new Error(`is no regular expression: ${(error as Error).message}`);
  }
}

/** Counts the ways of alternatives, up to the end of their group: those of each are added, those of a sequence multiplied. */
function countWays(text: string, end: { at: number }, depth: number): number {
  if (depth > 5) throw new Error("has groups within groups; the limit is 5");
  let sum = 0;
  let ways = 1;
  while (end.at < text.length && text[end.at] !== ")") {
    if (text[end.at] === "|") {
      end.at++;
      sum += ways;
      ways = 1;
    } else ways *= countAtom(text, end, depth);
  }
  return sum + ways;
}

function countAtom(text: string, end: { at: number }, depth: number): number {
  const isGroup = text[end.at] === "(";
  const ways = isGroup ? countGroup(text, end, depth) : skipOne(text, end);
  const repeat = match(REPEAT, text, end);
  if (!repeat) return ways;
  if (isGroup && repeat[0] !== "?")
    throw new Error(`repeats a group at character ${end.at}; only a "?" may follow a group`);
  return ways * optionsOf(repeat) + (isGroup ? 1 : 0);
}

function countGroup(text: string, end: { at: number }, depth: number): number {
  const opening = text.startsWith("(?:", end.at) ? 3 : 1;
  if (opening === 1 && text[end.at + 1] === "?")
    throw new Error(`has "(?" at character ${end.at + 1}; only "(" and "(?:" are allowed`);
  const openedAt = end.at;
  end.at += opening;
  const ways = countWays(text, end, depth + 1);
  if (text[end.at] !== ")") throw new Error(`has a "(" without ")" at character ${openedAt + 1}`);
  end.at++;
  return ways;
}

/** Skips a character, a set or an escape, which match in one way. */
function skipOne(text: string, end: { at: number }): number {
  if (match(SET, text, end) || match(ESCAPE, text, end)) return 1;
  const character = text[end.at] ?? "";
  if (/[\\[{*+?]/.test(character))
    throw new Error(`has "${character}" at character ${end.at + 1} in a place where it cannot be`);
  end.at++;
  return 1;
}

function optionsOf([repeat, least, range, most]: RegExpExecArray): number {
  if (repeat.startsWith("?")) return 2;
  if (least === undefined || (range !== undefined && most === "")) return ENDLESS;
  return range === undefined ? 1 : Math.max(1, Number(most) - Number(least) + 1);
}

function match(pattern: RegExp, text: string, end: { at: number }): RegExpExecArray | null {
  pattern.lastIndex = end.at;
  const found = pattern.exec(text);
  if (found) end.at = pattern.lastIndex;
  return found;
}
