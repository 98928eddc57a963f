import type { MailToSend } from "../prepare/index.ts";
import type { ActiveClaim } from "./active-claim.ts";

/** The claims whose emails a stream sends, until each is finished. */
export class ActiveClaims {
  /** With the function that ends the wait in `add`. */
  readonly #claims = new Map<ActiveClaim, () => void>();

  /** Adds a claim. Resolves when it is finished. */
  add(claim: ActiveClaim): Promise<void> {
    return new Promise<void>((resolve) => this.#claims.set(claim, resolve));
  }

  /** Emails that no dispatcher has taken. */
  get queued(): number {
    return this.list().reduce((sum, { queue }) => sum + queue.length, 0);
  }

  list(): ActiveClaim[] {
    return [...this.#claims.keys()];
  }

  /** Takes the first email that may start, with its claim. A lone email never waits behind a batch. */
  take(): { claim: ActiveClaim; email: MailToSend } | null {
    const waiting = this.list()
      .filter(({ queue }) => queue.length > 0)
      .sort((a, b) => rowSize(a) - rowSize(b) || a.inProgress - b.inProgress);
    const claim = waiting.find(({ outcomes }) => outcomes.tryAcquireSlot());
    const email = claim?.queue.shift();
    if (!claim || !email) return null;
    claim.inProgress += 1;
    return { claim, email };
  }

  /** Removes the claims that are finished. */
  settle(isFinished: (claim: ActiveClaim) => boolean): void {
    for (const [claim, resolve] of this.#claims) {
      if (!isFinished(claim)) continue;
      this.#claims.delete(claim);
      resolve();
    }
  }
}

/** Emails of the row of the next email. */
const rowSize = ({ queue, emailsOf }: ActiveClaim): number => emailsOf.get(queue[0]?.mail.outboxId ?? "") ?? 0;
