import { binaryStringToBytes, toBinaryString, utf8 } from "../../lib/bytes.ts";
import { decodeText } from "./text.ts";

const PARAMETER = /;\s*([!-:<-~]{1,60}?)\s*=\s*(?:"((?:[^"\\]|\\.)*)"?|([^\s;]*))/g;
/** Parameters of one field that are read. */
const MAX_PARAMETERS = 120;
/** A parameter that is encoded or continued: its name, the number of the section, and the sign of an encoded one (RFC 2231 3, 4). */
const EXTENDED = /^([^*]+)(?:\*(0|[1-9]\d{0,2}))?(\*?)$/;

/** Returns the parameters of a field as they are written (RFC 2045 5.1), without quotes. */
export function listParameters(value: string): [name: string, value: string][] {
  const found: [string, string][] = [];
  for (const [, name = "", quoted, token] of value.matchAll(PARAMETER)) {
    found.push([name, quoted?.replace(/\\(.)/g, "$1") ?? token ?? ""]);
    if (found.length === MAX_PARAMETERS) break;
  }
  return found;
}

interface Section {
  text: string;
  isEncoded: boolean;
}

/** Returns the parameters of a field by their names in lower case, decoded and joined (RFC 2231). Of equal ones the first counts. */
export function readParameters(value: string): ReadonlyMap<string, string> {
  const plain = new Map<string, string>();
  const extended = new Map<string, Section[]>();
  for (const [key, text] of listParameters(value)) {
    const [, name = "", number, sign] = EXTENDED.exec(key.toLowerCase()) ?? [];
    if (number === undefined && !sign) {
      if (!plain.has(key.toLowerCase())) plain.set(key.toLowerCase(), text);
      continue;
    }
    const sections = extended.get(name) ?? [];
    extended.set(name, sections);
    sections[Number(number ?? 0)] ??= { text, isEncoded: sign === "*" };
  }
  for (const [name, sections] of extended) if (sections[0]) plain.set(name, joinSections(sections));
  return plain;
}

/** Joins sections up to the first that is missing. Encoded ones that follow each other are decoded together: they may split a character. */
function joinSections(sections: readonly (Section | undefined)[]): string {
  const [, charset = "", rest] = /^([^']{0,40})'[^']{0,40}'(.*)$/s.exec(sections[0]?.text ?? "") ?? [];
  let [joined, encoded] = ["", ""];
  for (const [index, section] of sections.entries()) {
    if (!section) break;
    const text = index === 0 && section.isEncoded ? (rest ?? section.text) : section.text;
    if (section.isEncoded) encoded += text;
    else [joined, encoded] = [joined + decodePercent(encoded, charset) + text, ""];
  }
  return joined + decodePercent(encoded, charset);
}

function decodePercent(text: string, charset: string): string {
  const binary = toBinaryString(utf8(text)).replace(/%([0-9a-f]{2})/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  return decodeText(binaryStringToBytes(binary), charset);
}
