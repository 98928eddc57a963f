import { binaryStringToBytes } from "../../lib/bytes.ts";
/** A command as it arrived: text, one character for each byte, and the literals between the texts. */
export type CommandPart = string | Uint8Array;

/** Signals a command that breaks the grammar of IMAP. The message is for the client. */
export class ImapSyntaxError extends Error {
  override name = "ImapSyntaxError";
}

/** Signals that a command of a mail program ends with NO. The code is a response code of IMAP (RFC 5530). */
export class ImapError extends Error {
  override name = "ImapError";
  readonly code: string;

  constructor(text: string, code: string) {
    super(text);
    this.code = code;
  }
}

const ATOM_SPECIALS = '(){ %*"\\]';
const isAtomCharacter = (character: string) =>
  character > " " && character < "\x7f" && !ATOM_SPECIALS.includes(character);
const isAstringCharacter = (character: string) => isAtomCharacter(character) || character === "]";

const MAX_NUMBER = 0xff_ff_ff_ff;
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Reads the words of a command in order (RFC 3501 9), in linear time. Each method reads what its name says, or throws ImapSyntaxError. */
export class Cursor {
  readonly #parts: readonly CommandPart[];
  readonly #allowsUtf8: boolean;
  #part = 0;
  #at = 0;

  /** `allowsUtf8`: quoted strings may have it, as after ENABLE UTF8=ACCEPT (RFC 6855 3). */
  constructor(parts: readonly CommandPart[], allowsUtf8 = false) {
    this.#parts = parts;
    this.#allowsUtf8 = allowsUtf8;
  }

  /** The next character of the text; empty at a literal and at the end. */
  get next(): string {
    const part = this.#parts[this.#part];
    return typeof part === "string" ? (part[this.#at] ?? "") : "";
  }

  get isAtEnd(): boolean {
    this.#enterNextText();
    return this.#part >= this.#parts.length;
  }

  /** Reads this text in any letter case if it follows, and returns whether it did. */
  skip(text: string): boolean {
    const part = this.#parts[this.#part];
    if (typeof part !== "string" || part.slice(this.#at, this.#at + text.length).toUpperCase() !== text.toUpperCase())
      return false;
    this.#at += text.length;
    this.#enterNextText();
    return true;
  }

  expect(text: string): void {
    if (!this.skip(text)) throw new ImapSyntaxError(`Expected ${text === " " ? "a space" : text}`);
  }

  expectEnd(): void {
    if (!this.isAtEnd) throw new ImapSyntaxError("The command has more than it may have");
  }

  /** Reads the characters that the test accepts, at least one. */
  word(test: (character: string) => boolean, what: string): string {
    const part = this.#parts[this.#part];
    const text = typeof part === "string" ? part : "";
    let end = this.#at;
    while (end < text.length && test(text[end] ?? "")) end += 1;
    if (end === this.#at) throw new ImapSyntaxError(`Expected ${what}`);
    const word = text.slice(this.#at, end);
    this.#at = end;
    this.#enterNextText();
    return word;
  }

  atom(): string {
    return this.word(isAtomCharacter, "an atom");
  }

  /** Reads an atom or string, as bytes. */
  astringBytes(): Uint8Array {
    return this.#isString() ? this.stringBytes() : binaryStringToBytes(this.word(isAstringCharacter, "a string"));
  }

  /** Reads an atom or string. Throws for bytes that are not UTF-8. */
  astring(): string {
    return toText(this.astringBytes());
  }

  /** Reads a quoted string or literal, as bytes. */
  stringBytes(): Uint8Array {
    const part = this.#parts[this.#part];
    if (part instanceof Uint8Array) {
      this.#part += 1;
      this.#at = 0;
      this.#enterNextText();
      // RFC 3501 4.3.1
      if (part.includes(0)) throw new ImapSyntaxError("A literal has a NUL");
      return part;
    }
    if (this.next !== '"') throw new ImapSyntaxError("Expected a string");
    return binaryStringToBytes(this.#quoted());
  }

  string(): string {
    return toText(this.stringBytes());
  }

  /** Reads a string or NIL. */
  nstring(): string | null {
    if (this.#isString()) return this.string();
    if (this.atom().toUpperCase() !== "NIL") throw new ImapSyntaxError("Expected a string or NIL");
    return null;
  }

  /** Reads a pattern of LIST: an atom with wildcards, or a string. */
  listPattern(): string {
    if (this.#isString()) return this.string();
    const isPatternCharacter = (character: string) => isAstringCharacter(character) || "%*".includes(character);
    return this.word(isPatternCharacter, "a mailbox pattern");
  }

  /** Reads a number of 32 bits. */
  number(): number {
    return this.#digits(MAX_NUMBER);
  }

  /** Reads a modification sequence. It has 63 bits in the protocol; a greater one than ours is as good as the greatest. */
  modificationSequence(): number {
    return this.#digits(Number.MAX_SAFE_INTEGER);
  }

  /** Reads a list in parentheses, whose members are separated by spaces. */
  list<Item>(item: () => Item, { mayBeEmpty = false } = {}): Item[] {
    this.expect("(");
    const items: Item[] = [];
    if (mayBeEmpty && this.skip(")")) return items;
    do items.push(item());
    while (this.skip(" "));
    this.expect(")");
    return items;
  }

  #isString(): boolean {
    return this.next === '"' || this.#parts[this.#part] instanceof Uint8Array;
  }

  #quoted(): string {
    const text = this.#parts[this.#part] as string;
    let value = "";
    for (let at = this.#at + 1; at < text.length; at += 1) {
      let character = text[at] ?? "";
      if (character === '"') {
        this.#at = at + 1;
        this.#enterNextText();
        return value;
      }
      if (character === "\\") {
        at += 1;
        character = text[at] ?? "";
        if (character !== '"' && character !== "\\") break;
      } else if (character > "\x7e" && !this.#allowsUtf8)
        throw new ImapSyntaxError("A quoted string has bytes that are not ASCII; use a literal");
      value += character;
    }
    throw new ImapSyntaxError("A quoted string does not end, or has an unknown escape");
  }

  #digits(greatest: number): number {
    const number = Number(this.word((character) => character >= "0" && character <= "9", "a number"));
    if (number > greatest) throw new ImapSyntaxError("The number is too large");
    return number;
  }

  /** Leaves a text that is read to its end. */
  #enterNextText(): void {
    const part = this.#parts[this.#part];
    if (typeof part !== "string" || this.#at < part.length) return;
    this.#part += 1;
    this.#at = 0;
    if (this.#parts[this.#part] === "") this.#enterNextText();
  }
}

function toText(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new ImapSyntaxError("A string is not UTF-8");
  }
}
