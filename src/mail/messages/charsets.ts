/** Charsets of mail that TextDecoder does not have: UTF-7 and two code pages of DOS, which old mailers and archives use. Pure. */

/** The characters of the bytes from 0x80 on. */
const CP437 =
  "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0";
const CP850 =
  "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0";

type Decode = (bytes: Uint8Array) => string;

const codePage =
  (high: string): Decode =>
  (bytes) =>
    Array.from(bytes, (byte) => (byte < 0x80 ? String.fromCharCode(byte) : high[byte - 0x80])).join("");

const DECODERS: Readonly<Record<string, Decode>> = {
  "utf-7": decodeUtf7,
  cp437: codePage(CP437),
  cp850: codePage(CP850),
  // CP850 with the euro sign in place of the dotless i.
  cp858: codePage(CP850.replace("ı", "€")),
};

/** Labels that mailers write, by the label that TextDecoder or DECODERS has. Those of code pages are read by `codePageOf`. */
const ALIASES: Readonly<Record<string, string>> = {
  utf7: "utf-7",
  "unicode-1-1-utf-7": "utf-7",
  "x-unicode-2-0-utf-7": "utf-7",
  csutf7: "utf-7",
  cspc8codepage437: "cp437",
  cspc850multilingual: "cp850",
  "pc-multilingual-850+euro": "cp858",
  "iso-2022-jp-1": "iso-2022-jp",
  "iso-2022-jp-2": "iso-2022-jp",
  "iso-2022-jp-3": "iso-2022-jp",
  "iso-2022-jp-ms": "iso-2022-jp",
};

/** Numbers of code pages that are another label's charset. */
const CODE_PAGES: Readonly<Record<string, string>> = {
  "437": "cp437",
  "850": "cp850",
  "858": "cp858",
  "874": "windows-874",
  "932": "shift_jis",
  "936": "gbk",
  "949": "euc-kr",
  "950": "big5",
  "50220": "iso-2022-jp",
  "50221": "iso-2022-jp",
  "65000": "utf-7",
  "65001": "utf-8",
};

/** Returns the charset of a label, in lower case and without the spellings that only mailers use. */
export function charsetOf(label: string): string {
  const name = label
    .trim()
    .toLowerCase()
    .slice(0, 40)
    .replace(/^["']+|["']+$/g, "");
  const number = /^(?:cp|ccsid|ibm|ms|windows)?[-_]?0*(\d{3,5})$/.exec(name)?.[1] ?? "";
  return CODE_PAGES[number] ?? ALIASES[name] ?? name;
}

/** Returns the decoder of a charset that TextDecoder does not have, or undefined. */
export function ownDecoder(charset: string): Decode | undefined {
  return Object.hasOwn(DECODERS, charset) ? DECODERS[charset] : undefined;
}

const BASE64 = /^[A-Za-z0-9+/]*/;

/** Decodes UTF-7 (RFC 2152). Bytes that it does not have are read as windows-1252. */
function decodeUtf7(bytes: Uint8Array): string {
  const text = new TextDecoder("windows-1252").decode(bytes);
  const pieces = text.split("+");
  let decoded = pieces[0] ?? "";
  for (const piece of pieces.slice(1)) {
    const shifted = BASE64.exec(piece)?.[0] ?? "";
    const rest = piece.slice(shifted.length);
    if (shifted === "") decoded += rest.startsWith("-") ? `+${rest.slice(1)}` : `+${rest}`;
    else decoded += fromShifted(shifted) + (rest.startsWith("-") ? rest.slice(1) : rest);
  }
  return decoded.toWellFormed();
}

/** Returns the UTF-16 units of modified base64. Bits that fill no unit are left out. */
function fromShifted(base64: string): string {
  const binary = atob(base64.slice(0, base64.length % 4 === 1 ? -1 : undefined));
  const units: number[] = [];
  for (let at = 0; at + 1 < binary.length; at += 2) units.push(binary.charCodeAt(at) * 256 + binary.charCodeAt(at + 1));
  let text = "";
  for (let at = 0; at < units.length; at += 4_096) text += String.fromCharCode(...units.slice(at, at + 4_096));
  return text;
}
