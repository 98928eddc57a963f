import { fromFlagBits, toFlagBits } from "../../src/mail/imap/flags.ts";
import { firstAtLeast } from "../../src/mail/imap/sequence-sets.ts";
import type { MessageState } from "./mailbox.ts";

const INITIAL_ROOM = 16;

/** The states of a folder's messages in order of UID: 13 bytes for each, because clients stay connected to large folders. */
export class MessageTable {
  #uids: Uint32Array<ArrayBuffer>;
  #modseqs: Float64Array<ArrayBuffer>;
  #flags: Uint8Array<ArrayBuffer>;
  /** Of the messages that have some. */
  readonly #keywords = new Map<number, readonly string[]>();
  #size = 0;

  constructor(messages: readonly MessageState[]) {
    const room = Math.max(INITIAL_ROOM, messages.length);
    this.#uids = new Uint32Array(room);
    this.#modseqs = new Float64Array(room);
    this.#flags = new Uint8Array(room);
    for (const message of messages) this.append(message);
  }

  /** The UIDs, in order. */
  get uids(): Uint32Array {
    return this.#uids.subarray(0, this.#size);
  }

  /** Returns the index of a UID, or -1. */
  indexOf(uid: number): number {
    const index = firstAtLeast(this.uids, uid);
    return this.uids[index] === uid ? index : -1;
  }

  get(uid: number): MessageState | null {
    const index = this.indexOf(uid);
    if (index < 0) return null;
    return {
      uid,
      modseq: this.#modseqs[index] ?? 0,
      flags: fromFlagBits(this.#flags[index] ?? 0),
      keywords: this.#keywords.get(uid) ?? [],
    };
  }

  /** Replaces the state of a message that the table has. */
  set({ uid, modseq, flags, keywords }: MessageState): void {
    const index = this.indexOf(uid);
    if (index < 0) return;
    this.#modseqs[index] = modseq;
    this.#flags[index] = toFlagBits(flags);
    if (keywords.length > 0) this.#keywords.set(uid, keywords);
    else this.#keywords.delete(uid);
  }

  /** Adds a message whose UID is the greatest. */
  append(message: MessageState): void {
    if (this.#size === this.#uids.length) this.#grow();
    this.#uids[this.#size] = message.uid;
    this.#size += 1;
    this.set(message);
  }

  remove(gone: ReadonlySet<number>): void {
    let kept = 0;
    for (let index = 0; index < this.#size; index += 1) {
      const uid = this.#uids[index] ?? 0;
      if (gone.has(uid)) {
        this.#keywords.delete(uid);
        continue;
      }
      this.#uids[kept] = uid;
      this.#modseqs[kept] = this.#modseqs[index] ?? 0;
      this.#flags[kept] = this.#flags[index] ?? 0;
      kept += 1;
    }
    this.#size = kept;
  }

  /** Returns the index of the first message without a flag, or -1. */
  firstWithout(flag: MessageState["flags"][number]): number {
    const bit = toFlagBits([flag]);
    return this.#flags.subarray(0, this.#size).findIndex((bits) => (bits & bit) === 0);
  }

  #grow(): void {
    const room = this.#uids.length * 2;
    const [uids, modseqs, flags] = [new Uint32Array(room), new Float64Array(room), new Uint8Array(room)];
    uids.set(this.#uids);
    modseqs.set(this.#modseqs);
    flags.set(this.#flags);
    [this.#uids, this.#modseqs, this.#flags] = [uids, modseqs, flags];
  }
}
