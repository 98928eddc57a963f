/** A token of a structured field (RFC 5322 3.2). `atom` is also what is no other: a reader of foreign mail refuses nothing. */
export interface Token {
  kind: "space" | "comment" | "quoted" | "literal" | "sign" | "atom";
  /** As it is written, with its quotes or parentheses. */
  text: string;
}

/** An encoded-word (RFC 2047 2). Some programs leave commas, dots and parentheses in those of names. */
const ENCODED_WORD = /=\?[^?\s]{1,60}\?[bq]\?[^?\s]*\?=/iy;

const PATTERNS: readonly (readonly [Token["kind"], RegExp])[] = [
  ["space", /\s+/y],
  ["atom", ENCODED_WORD],
  ["quoted", /"(?:[^"\\]|\\[\s\S])*"?/y],
  ["literal", /\[[^\]]*\]?/y],
  ["sign", /[<>,;:@.]/y],
  ["atom", /[^\s"([<>,;:@.]+/y],
];

/** Splits an address field into its tokens. The time is that of the text. */
export function tokensOf(value: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < value.length; ) {
    const token = value[at] === "(" ? readComment(value, at) : readToken(value, at);
    tokens.push(token);
    at += token.text.length;
  }
  return tokens;
}

function readToken(value: string, at: number): Token {
  for (const [kind, pattern] of PATTERNS) {
    pattern.lastIndex = at;
    const text = pattern.exec(value)?.[0];
    if (text !== undefined) return { kind, text };
  }
  return { kind: "atom", text: value[at] ?? "" };
}

/** Reads a comment, in which others may be (RFC 5322 3.2.2). Without an end it takes the rest. */
function readComment(value: string, from: number): Token {
  let depth = 0;
  for (let at = from; at < value.length; at++) {
    const character = value[at];
    if (character === "\\") at += 1;
    else if (character === "(") depth += 1;
    else if (character === ")") depth -= 1;
    if (depth === 0) return { kind: "comment", text: value.slice(from, at + 1) };
  }
  return { kind: "comment", text: value.slice(from) };
}

/** Returns the text in quotes or parentheses, without escapes. */
export const contentOf = ({ text }: Token): string =>
  text.slice(1, /[^\\](?:\\\\)*[")]$/.test(text) && text.length > 1 ? -1 : undefined).replace(/\\([\s\S])/g, "$1");
