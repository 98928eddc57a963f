import type { EmailState, EmailUpdate } from "../../emails/index.ts";
import type { ClaimedMail } from "../claim/index.ts";
import { FLUSH_BYTES, FLUSH_EMAILS } from "../rules.ts";

/** The outcome of one email: what to write, and what follows for the outbox. */
export interface DeliveryUpdate extends Omit<EmailUpdate, "state" | "next"> {
  /** When the next attempt is due, in milliseconds since 1970. */
  next?: number | undefined;
  /** The egress is missing, or the attempt failed before MAIL FROM: the next row waits for the egress. */
  isUnreachable?: boolean;
  /** The egress accepted the message for a recipient. */
  isAccepted?: boolean;
  /** The egress holds the email, which keeps its outbox row: a report tells its outcome. */
  isHeld?: boolean;
  /** The email waits for the pace of its receivers: its next outbox row is all that is written. */
  isPaced?: boolean;
}

/** An outcome that is not written yet. */
export interface PendingUpdate extends DeliveryUpdate {
  mail: ClaimedMail;
  /** Other recipients of the email are still being tried: its outbox row stays claimed. */
  isPart: boolean;
}

/** Returns the updates that finish their email. */
export const finishing = (updates: readonly PendingUpdate[]): PendingUpdate[] =>
  updates.filter(({ isPart }) => !isPart);

/** The outcomes of a claim that wait for a flush, and the states of emails of which some recipients are written. */
export class PendingUpdates {
  #updates: PendingUpdate[] = [];
  /** By emails.n. */
  readonly #states = new Map<number, EmailState>();

  get size(): number {
    return this.#updates.length;
  }

  /** Emails whose last outcome waits. */
  get finished(): number {
    return finishing(this.#updates).length;
  }

  /** Adds an outcome to the one that waits for its email, since one statement updates each row once. */
  add(update: PendingUpdate): void {
    const index = this.#updates.findIndex(({ mail }) => mail === update.mail);
    const earlier = this.#updates[index];
    if (!earlier) {
      this.#updates.push(update);
      return;
    }
    const isAccepted = earlier.isAccepted === true || update.isAccepted === true;
    this.#updates[index] = { ...update, facts: [...earlier.facts, ...update.facts], isAccepted };
  }

  /** Takes as many updates as one statement may carry, by number and by size. */
  takeFlush(): PendingUpdate[] {
    let bytes = 0;
    const fits = ({ mail, facts }: PendingUpdate, index: number) => {
      bytes += 2 * JSON.stringify([this.stateOf(mail), facts]).length;
      return index === 0 || (index < FLUSH_EMAILS && bytes <= FLUSH_BYTES);
    };
    const first = this.#updates.findIndex((update, index) => !fits(update, index));
    return this.#updates.splice(0, first === -1 ? this.#updates.length : first);
  }

  /** Returns the state of an email as it was written last. */
  stateOf({ state }: ClaimedMail): EmailState {
    return this.#states.get(state.n) ?? state;
  }

  /** Keeps the written states of emails that go on. */
  noteWritten(states: readonly EmailState[], parts: ReadonlySet<number>): void {
    for (const state of states) {
      if (parts.has(state.n)) this.#states.set(state.n, state);
      else this.#states.delete(state.n);
    }
  }
}
