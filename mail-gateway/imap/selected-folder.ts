import { membersOf, type SequenceSet } from "../../src/mail/imap/sequence-sets.ts";
import { changeFlags, hasSameFlags } from "./flag-changes.ts";
import type { FlagChange, FolderChanges, FolderState, MessageState } from "./mailbox.ts";
import { MessageTable } from "./message-table.ts";
import { formatFlags } from "./responses.ts";

/** How changes are told to a client. */
interface TellOptions {
  /** False while sequence numbers must stay: during FETCH, STORE and SEARCH (RFC 3501 7.4.1). */
  mayExpunge: boolean;
  /** True: flags come with their modification sequence (RFC 7162). */
  condstore: boolean;
}

/**
 * A folder as the client of one connection knows it: which number each message has, and what the client was told. What others change
 * is applied at once and told when the protocol allows it.
 */
export class SelectedFolder {
  readonly name: string;
  readonly isReadOnly: boolean;
  readonly uidvalidity: number;
  uidnext: number;
  /** All changes up to this modification sequence are in here. */
  syncedModseq: number;
  keywords: readonly string[];
  readonly #messages: MessageTable;
  /** Messages that are expunged, of which the client was not told. */
  readonly #expunged = new Set<number>();
  /** Messages whose flags the client was not told. */
  readonly #changed = new Set<number>();
  #toldMessages: number;
  #toldKeywords: number;

  constructor(name: string, isReadOnly: boolean, state: FolderState) {
    this.name = name;
    this.isReadOnly = isReadOnly;
    this.uidvalidity = state.uidvalidity;
    this.uidnext = state.uidnext;
    this.syncedModseq = state.highestModseq;
    this.keywords = state.keywords;
    this.#messages = new MessageTable(state.messages);
    this.#toldMessages = this.size;
    this.#toldKeywords = state.keywords.length;
  }

  get size(): number {
    return this.#messages.uids.length;
  }

  /** The number of the first message that is not seen. Null: there is none. */
  get firstUnseen(): number | null {
    const index = this.#messages.firstWithout("\\Seen");
    return index < 0 ? null : index + 1;
  }

  /** Returns the UIDs that a set of UIDs or of sequence numbers names, in order. UIDs without a message are ignored. */
  resolve(set: SequenceSet, byUid: boolean): number[] {
    const { uids } = this.#messages;
    if (byUid) return membersOf(set, uids);
    const numbers = Uint32Array.from(uids, (_, index) => index + 1);
    return membersOf(set, numbers).map((number) => uids[number - 1] ?? 0);
  }

  /** Returns a set as ranges of UIDs, no more than the client has written: UIDs in a range that no message has match nothing. */
  rangesOf(set: SequenceSet, byUid: boolean): [number, number][] {
    const { uids } = this.#messages;
    const greatest = (byUid ? uids.at(-1) : this.size) ?? 0;
    return set.flatMap((range): [number, number][] => {
      const ends = range.map((end) => (end === Number.POSITIVE_INFINITY ? greatest : end));
      const [from, to] = [Math.min(...ends), Math.min(Math.max(...ends), greatest)];
      if (from > to || to === 0) return [];
      return [byUid ? [from, to] : [uids[from - 1] ?? 0, uids[to - 1] ?? 0]];
    });
  }

  /** Returns whether a set of sequence numbers names one that no message has, which is an error of the client. */
  exceeds(set: SequenceSet): boolean {
    const isBeyond = (end: number) => end !== Number.POSITIVE_INFINITY && end > this.size;
    const isOfNone = this.size === 0 && set.some((range) => range.includes(Number.POSITIVE_INFINITY));
    return !isOfNone && set.some(([one, other]) => isBeyond(one) || isBeyond(other));
  }

  /** Returns the sequence number of a message, or null when the client does not know it. */
  numberOf(uid: number): number | null {
    const index = this.#messages.indexOf(uid);
    return index < 0 ? null : index + 1;
  }

  stateOf(uid: number): MessageState | null {
    return this.#messages.get(uid);
  }

  isExpunged(uid: number): boolean {
    return this.#expunged.has(uid);
  }

  /** Records messages as they are now, which the client is told at once: nothing of them is left to tell. */
  record(messages: readonly MessageState[]): void {
    for (const message of messages) {
      const known = this.#messages.get(message.uid);
      if (!known || known.modseq > message.modseq) continue;
      this.#messages.set(message);
      this.#changed.delete(message.uid);
    }
  }

  /**
   * Records messages after a change of this client of which it is told nothing. When others have changed them too, that is left to tell
   * (RFC 3501 6.4.6).
   */
  recordSilently(messages: readonly MessageState[], change: Pick<FlagChange, "mode" | "flags">): void {
    const others = messages.filter((message) => {
      const known = this.#messages.get(message.uid);
      return known && (this.#changed.has(message.uid) || !hasSameFlags(message, changeFlags(known, change)));
    });
    this.record(messages);
    for (const { uid } of others) this.#changed.add(uid);
  }

  /** Applies changes of this client and of others. */
  apply({ uidnext, highestModseq, keywords, changed, expunged }: FolderChanges): void {
    this.uidnext = Math.max(this.uidnext, uidnext);
    this.syncedModseq = Math.max(this.syncedModseq, highestModseq);
    this.keywords = keywords;
    for (const uid of expunged ?? this.#missingIn(changed)) if (this.numberOf(uid) !== null) this.#expunged.add(uid);
    for (const message of changed) this.#applyMessage(message);
  }

  #missingIn(messages: readonly MessageState[]): number[] {
    const kept = new Set(messages.map(({ uid }) => uid));
    return [...this.#messages.uids].filter((uid) => !kept.has(uid));
  }

  #applyMessage(message: MessageState): void {
    const known = this.#messages.get(message.uid);
    if (known && known.modseq < message.modseq) {
      this.#messages.set(message);
      this.#changed.add(message.uid);
    } else if (message.uid > (this.#messages.uids.at(-1) ?? 0)) this.#messages.append(message);
  }

  /** Returns the untagged responses of all that the client was not told and may be told now. */
  tell({ mayExpunge, condstore }: TellOptions): string[] {
    return [
      ...(mayExpunge ? this.#tellExpunged() : []),
      ...this.#tellKeywords(),
      ...this.#tellSize(),
      ...this.#tellChanged(condstore),
    ];
  }

  /** Returns the responses that tell which flags there are and which a client may set. */
  describeFlags(): string[] {
    const flags = ["\\Answered", "\\Flagged", "\\Deleted", "\\Seen", "\\Draft", ...this.keywords].join(" ");
    const permanent = this.isReadOnly ? "" : `${flags} \\*`;
    return [`* FLAGS (${flags})`, `* OK [PERMANENTFLAGS (${permanent})] Flags that are kept`];
  }

  /** The greatest numbers go first, so that those of the others are still right. */
  #tellExpunged(): string[] {
    // A message that came and went since the last responses has no number for the client.
    const numbers = [...this.#expunged]
      .map((uid) => this.numberOf(uid) ?? 0)
      .filter((number) => number <= this.#toldMessages)
      .sort((one, other) => other - one);
    this.#messages.remove(this.#expunged);
    for (const uid of this.#expunged) this.#changed.delete(uid);
    this.#expunged.clear();
    this.#toldMessages -= numbers.length;
    return numbers.map((number) => `* ${number} EXPUNGE`);
  }

  #tellKeywords(): string[] {
    if (this.#toldKeywords === this.keywords.length) return [];
    this.#toldKeywords = this.keywords.length;
    return this.describeFlags();
  }

  #tellSize(): string[] {
    if (this.#toldMessages === this.size) return [];
    this.#toldMessages = this.size;
    return [`* ${this.size} EXISTS`, "* 0 RECENT"];
  }

  #tellChanged(condstore: boolean): string[] {
    const uids = [...this.#changed].filter((uid) => !this.#expunged.has(uid)).sort((one, other) => one - other);
    for (const uid of uids) this.#changed.delete(uid);
    return uids.flatMap((uid) => {
      const state = this.stateOf(uid);
      const modseq = condstore && state ? ` MODSEQ (${state.modseq})` : "";
      return state ? [`* ${this.numberOf(uid)} FETCH (UID ${uid} FLAGS ${formatFlags(state)}${modseq})`] : [];
    });
  }
}
