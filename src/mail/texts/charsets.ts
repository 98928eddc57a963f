/** Charsets of mail that TextDecoder does not have: UTF-7 and two code pages of DOS, which old mailers and archives use. Pure. */

/** The characters of the bytes from 0x80 on. */
const CP437 =
  "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0";
const CP850 =
  "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0";

type Decode = (bytes: Uint8Array) => string;

/** Returns the UTF-16 unit of each byte: those of ASCII, and those of a text for the others. */
const unitsOf = (high: string) =>
  Uint16Array.from({ length: 256 }, (_, byte) => (byte < 0x80 ? byte : high.charCodeAt(byte - 0x80)));

function codePage(high: string): Decode {
  const units = unitsOf(high);
  return (bytes) => {
    const text = new Uint16Array(bytes.length);
    for (let at = 0; at < bytes.length; at++) text[at] = units[bytes[at] as number] as number;
    return fromUnits(text);
  };
}

/** Returns the text of UTF-16 units. */
const fromUnits = (units: Uint16Array) =>
  new TextDecoder("utf-16le").decode(new Uint8Array(units.buffer, units.byteOffset, units.byteLength));

const DECODERS: Readonly<Record<string, Decode>> = {
  "utf-7": decodeUtf7,
  cp437: codePage(CP437),
  cp850: codePage(CP850),
  // CP850 with the euro sign in place of the dotless i.
  cp858: codePage(CP850.replace("ı", "€")),
};

/** Labels that mailers write, by the label that TextDecoder or DECODERS has. Those of code pages are in CODE_PAGES. */
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

const [PLUS, MINUS] = [0x2b, 0x2d];

/** The digits of base64 (RFC 4648 4). */
const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

const WINDOWS_1252 = unitsOf(
  new TextDecoder("windows-1252").decode(Uint8Array.from({ length: 128 }, (_, i) => i + 128)),
);

/** Decodes UTF-7 (RFC 2152). Bytes that it does not have are read as windows-1252. */
function decodeUtf7(bytes: Uint8Array): string {
  const units = new Uint16Array(bytes.length);
  let [to, bits, count, digits] = [0, 0, 0, -1];
  for (let at = 0; at <= bytes.length; at++) {
    const byte = bytes[at] ?? MINUS;
    // Not negative: within base64, of which so many digits were read.
    if (digits >= 0) {
      const digit = DIGITS.indexOf(String.fromCharCode(byte));
      if (digit >= 0) {
        bits = (bits << 6) | digit;
        count += 6;
        digits += 1;
        if (count < 16) continue;
        count -= 16;
        units[to++] = bits >> count;
        bits &= (1 << count) - 1;
        continue;
      }
      if (digits === 0) units[to++] = PLUS;
      digits = -1;
      if (byte === MINUS) continue;
    }
    if (byte === PLUS) [bits, count, digits] = [0, 0, 0];
    else if (at < bytes.length) units[to++] = WINDOWS_1252[byte] ?? 0;
  }
  return fromUnits(units.subarray(0, to));
}
