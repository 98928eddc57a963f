/** A folder as a client knows it from the responses of a server. It checks what RFC 3501 promises about their order. */

/** Signals a response that the protocol does not allow. */
export class ProtocolError extends Error {
  override name = "ProtocolError";
}

/** A message of a view. Null: the client was not told. */
export interface ViewedMessage {
  uid: number | null;
  flags: ReadonlySet<string> | null;
  modseq: number;
}

/** Returns the flags of a response, in lower case. */
export function flagsIn(text: string): Set<string> | null {
  const [, flags] = /\bFLAGS \(([^)]*)\)/.exec(text) ?? [];
  return flags === undefined ? null : new Set(flags.toLowerCase().split(" ").filter(Boolean));
}

/** Returns the first literal of a response and the text without it. */
export function splitLiteral(line: string): { text: string; literal: string | null } {
  const [found, length] = /\{(\d+)\}\r\n/.exec(line) ?? [];
  if (found === undefined) return { text: line, literal: null };
  const from = line.indexOf(found) + found.length;
  return {
    text: line.slice(0, from - found.length) + line.slice(from + Number(length)),
    literal: line.slice(from, from + Number(length)),
  };
}

export class FolderView {
  messages: ViewedMessage[] = [];
  /** Called for each message whose UID is known when it is expunged. */
  readonly #onExpunge: (uid: number) => void;

  constructor(onExpunge: (uid: number) => void = () => {}) {
    this.#onExpunge = onExpunge;
  }

  get size(): number {
    return this.messages.length;
  }

  get uids(): number[] {
    return this.messages.flatMap(({ uid }) => (uid === null ? [] : [uid]));
  }

  /** Applies an untagged response. Throws ProtocolError for one that contradicts those before it. */
  read(line: string, mayExpunge: boolean): void {
    const [, count, what] = /^\* (\d+) (EXISTS|EXPUNGE|FETCH)/.exec(line) ?? [];
    const number = Number(count);
    if (what === "EXISTS") this.#exist(number, line);
    else if (what === "EXPUNGE") this.#expunge(number, line, mayExpunge);
    else if (what === "FETCH") this.#fetch(number, line);
  }

  /** Changes the flags of a message as its client has told the server. */
  change(uid: number, flag: string, isSet: boolean): void {
    const message = this.messages.find((one) => one.uid === uid);
    if (!message?.flags) return;
    const flags = new Set(message.flags);
    if (isSet) flags.add(flag.toLowerCase());
    else flags.delete(flag.toLowerCase());
    message.flags = flags;
  }

  #exist(number: number, line: string): void {
    if (number < this.size) throw new ProtocolError(`${line}: there were ${this.size} messages`);
    while (this.size < number) this.messages.push({ uid: null, flags: null, modseq: 0 });
  }

  #expunge(number: number, line: string, mayExpunge: boolean): void {
    if (!mayExpunge) throw new ProtocolError(`${line}: during a command whose sequence numbers must stay`);
    const [message] = this.messages.splice(number - 1, 1);
    if (number < 1 || !message) throw new ProtocolError(`${line}: there were ${this.size} messages`);
    if (message.uid !== null) this.#onExpunge(message.uid);
  }

  #fetch(number: number, line: string): void {
    const message = this.messages[number - 1];
    if (!message) throw new ProtocolError(`${line}: there were ${this.size} messages`);
    const { text } = splitLiteral(line);
    const uid = Number(/\bUID (\d+)/.exec(text)?.[1] ?? 0);
    if (uid > 0) this.#setUid(number, uid, line);
    const modseq = Number(/\bMODSEQ \((\d+)\)/.exec(text)?.[1] ?? 0);
    if (modseq > 0 && modseq < message.modseq) throw new ProtocolError(`${line}: MODSEQ was ${message.modseq}`);
    message.modseq = Math.max(modseq, message.modseq);
    message.flags = flagsIn(text) ?? message.flags;
  }

  #setUid(number: number, uid: number, line: string): void {
    const message = this.messages[number - 1];
    if (!message) return;
    if (message.uid !== null && message.uid !== uid) throw new ProtocolError(`${line}: the UID was ${message.uid}`);
    message.uid = uid;
    const before = this.messages.slice(0, number - 1).findLast((one) => one.uid !== null)?.uid ?? 0;
    const after = this.messages.slice(number).find((one) => one.uid !== null)?.uid ?? Number.POSITIVE_INFINITY;
    if (uid <= before || uid >= after)
      throw new ProtocolError(`${line}: the UIDs beside it are ${before} and ${after}`);
  }
}
