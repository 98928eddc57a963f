/** The common knowledge of the clients of a stress run: which messages there must and must not be, and with which keywords. */
import { ProtocolError } from "./folder-view.ts";

interface Place {
  folder: string;
  uid: number;
}

const keyOf = ({ folder, uid }: Place) => `${folder}/${uid}`;

/** Returns the message of an identity, so that its content can be compared. */
export function messageOf(id: string): string {
  const words = Array.from({ length: 5 + (id.length % 7) }, (_, n) => `${id} word ${n}`);
  return `From: Ada <ada@example.org>\r\nTo: hello@gateway.test\r\nSubject: ${id}\r\nX-Stress: ${id}\r\n\r\n${words.join("\r\n")}\r\n`;
}

/** A message at the end of a run. */
export interface FinalMessage extends Place {
  flags: ReadonlySet<string>;
  raw: string;
}

export class StressModel {
  /** Identity of each message that was added; null: its copier did not know it. */
  readonly #added = new Map<string, string | null>();
  /** Messages that a client has begun to delete or to move. */
  readonly #mayVanish = new Set<string>();
  /** Messages that are gone, and when that was known: a count that rises. */
  readonly #gone = new Map<string, number>();
  readonly #greatest = new Map<string, number>();
  /** Of each message, the owners of keywords whose keyword is known. */
  readonly #keywords = new Map<string, Map<string, boolean>>();
  #clock = 0;

  /** A moment, for `isGoneSince`. */
  get now(): number {
    return this.#clock;
  }

  greatestUid(folder: string): number {
    return this.#greatest.get(folder) ?? 0;
  }

  /** Records a copy. It has the flags of its source, so one of a message that is marked as deleted may vanish as well. */
  copy(source: Place, place: Place, above: number): void {
    this.add(place, this.identityOf(source), above);
    if (this.#mayVanish.has(keyOf(source))) this.mayVanish(place);
  }

  /** Records a message that a server has added. `above`: the greatest UID that was known when the command was sent. */
  add(place: Place, id: string | null, above: number): void {
    if (place.uid <= above) throw new ProtocolError(`UID ${place.uid} of ${place.folder} is not above ${above}`);
    if (this.#added.has(keyOf(place))) throw new ProtocolError(`UID ${place.uid} of ${place.folder} was used before`);
    this.#added.set(keyOf(place), id);
    this.#greatest.set(place.folder, Math.max(this.greatestUid(place.folder), place.uid));
  }

  identityOf(place: Place): string | null {
    return this.#added.get(keyOf(place)) ?? null;
  }

  mayVanish(place: Place): void {
    this.#mayVanish.add(keyOf(place));
  }

  gone(place: Place): void {
    this.#clock += 1;
    if (!this.#gone.has(keyOf(place))) this.#gone.set(keyOf(place), this.#clock);
  }

  wasGoneAt(place: Place, moment: number): boolean {
    return (this.#gone.get(keyOf(place)) ?? Number.POSITIVE_INFINITY) <= moment;
  }

  setKeyword(place: Place, owner: string, isSet: boolean): void {
    const keywords = this.#keywords.get(keyOf(place)) ?? new Map<string, boolean>();
    this.#keywords.set(keyOf(place), keywords.set(owner, isSet));
  }

  keyword(place: Place, owner: string): boolean | null {
    return this.#keywords.get(keyOf(place))?.get(owner) ?? null;
  }

  /** Throws ProtocolError unless a search for the keyword of its owner found what it must, of the messages in a view. */
  checkSearch(folder: string, owner: string, found: readonly number[], viewed: readonly number[]): void {
    for (const uid of found)
      if (this.keyword({ folder, uid }, owner) === false)
        throw new ProtocolError(`${folder}/${uid} has no ${owner}, and was found`);
    for (const uid of viewed) {
      const place = { folder, uid };
      if (this.keyword(place, owner) && !this.#mayVanish.has(keyOf(place)) && !found.includes(uid))
        throw new ProtocolError(`${keyOf(place)} has ${owner}, and was not found`);
    }
  }

  /** Returns in what the messages at the end differ from this model. */
  differences(final: readonly FinalMessage[]): string[] {
    const left = new Set(final.map(keyOf));
    return [
      ...[...this.#added.keys()]
        .filter((key) => !this.#mayVanish.has(key) && !left.has(key))
        .map((key) => `${key} is lost`),
      ...[...this.#gone.keys()].filter((key) => !this.#mayVanish.has(key)).map((key) => `${key} was told as expunged`),
      ...final.flatMap((message) => this.#differencesOf(message)),
    ];
  }

  #differencesOf(message: FinalMessage): string[] {
    const key = keyOf(message);
    const [, id = ""] = /^X-Stress: (.*)\r$/m.exec(message.raw) ?? [];
    const known = this.#added.get(key);
    const keywords = [...(this.#keywords.get(key) ?? [])].filter(
      ([owner, isSet]) => message.flags.has(owner) !== isSet,
    );
    return [
      ...(known === undefined ? [`${key} was added by no client`] : []),
      ...(this.#gone.has(key) ? [`${key} is there again`] : []),
      ...(known && known !== id ? [`${key} is ${id}, was ${known}`] : []),
      ...(message.raw === messageOf(id) ? [] : [`${key} has another content: ${JSON.stringify(message.raw)}`]),
      ...keywords.map(([owner, isSet]) => `${key} must ${isSet ? "" : "not "}have ${owner}`),
    ];
  }
}
