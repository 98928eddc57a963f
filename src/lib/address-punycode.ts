/** Decodes Punycode (RFC 3492). The URL parser only encodes it. */

const BASE = 36;
const T_MIN = 1;
const T_MAX = 26;
const SKEW = 38;
const DAMP = 700;
const MAX_CODE_POINT = 0x10ffff;

/**
 * Decodes the part of an A-label after `xn--`, lower case, at most 59 characters. Returns null when it is not Punycode,
 * or encodes a surrogate or a code point beyond U+10FFFF.
 */
export function decodePunycode(encoded: string): string | null {
  const delimiter = encoded.lastIndexOf("-");
  const output = Array.from(encoded.slice(0, Math.max(delimiter, 0)), (c) => c.charCodeAt(0));
  let position = delimiter < 0 ? 0 : delimiter + 1;
  let code = 128;
  let index = 0;
  let bias = 72;
  while (position < encoded.length) {
    const start = index;
    for (let k = BASE, weight = 1; ; k += BASE) {
      const digit = digitOf(encoded.charCodeAt(position++));
      if (digit < 0) return null;
      index += digit * weight;
      const threshold = Math.min(Math.max(k - bias, T_MIN), T_MAX);
      if (digit < threshold) break;
      weight *= BASE - threshold;
      if (weight > 2 ** 40) return null;
    }
    const count = output.length + 1;
    bias = adapt(index - start, count, start === 0);
    code += Math.floor(index / count);
    if (code > MAX_CODE_POINT || (code >= 0xd800 && code <= 0xdfff)) return null;
    index %= count;
    output.splice(index++, 0, code);
  }
  return String.fromCodePoint(...output);
}

function adapt(difference: number, count: number, first: boolean): number {
  let delta = Math.floor(difference / (first ? DAMP : 2));
  delta += Math.floor(delta / count);
  let k = 0;
  for (; delta > ((BASE - T_MIN) * T_MAX) / 2; k += BASE) delta = Math.floor(delta / (BASE - T_MIN));
  return k + Math.floor(((BASE - T_MIN + 1) * delta) / (delta + SKEW));
}

/** Returns the value of a digit: a to z are 0 to 25, 0 to 9 are 26 to 35. Any other unit, NaN included, is -1. */
function digitOf(unit: number): number {
  if (unit >= 97 && unit <= 122) return unit - 97;
  if (unit >= 48 && unit <= 57) return unit - 22;
  return -1;
}
