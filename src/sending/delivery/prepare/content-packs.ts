import type { MailCtx } from "../../../platform/context.ts";
import {
  blankUnset,
  MIN_PACKED_EMAILS,
  type MovedContent,
  packContents,
  setContentKeyStatement,
} from "../../emails/index.ts";
import type { ClaimedMail } from "../claim/index.ts";

/**
 * Moves the content of claimed emails from their rows to R2 while they are sent: one object for each workspace. The flush
 * of an email sets its key, so the move writes no further row. No outcome waits for it: what is not in R2 by then is
 * moved by `finish` or, when R2 failed, by cron.
 */
export class ContentPacks {
  readonly #ctx: MailCtx;
  readonly #moved = new Map<number, MovedContent>();
  readonly #packing: Promise<void>;

  constructor(ctx: MailCtx, mails: readonly ClaimedMail[]) {
    this.#ctx = ctx;
    this.#packing = this.#pack(mails);
  }

  /** Returns and removes the place of an email's content, when it is in R2 by now. */
  take(n: number): MovedContent | undefined {
    const moved = this.#moved.get(n);
    this.#moved.delete(n);
    return moved;
  }

  /** Waits for R2 and sets the keys that no flush has set. */
  async finish(): Promise<void> {
    await this.#packing;
    if (this.#moved.size === 0) return;
    try {
      const moved = [...this.#moved.values()];
      const { meta } = await setContentKeyStatement(this.#ctx, moved).run();
      if (meta.changes < moved.length) await blankUnset(this.#ctx, moved);
    } catch (error) {
      this.#ctx.log("delivery.content.not_moved", { error: String(error) });
    }
  }

  async #pack(mails: readonly ClaimedMail[]): Promise<void> {
    const inRow = mails.flatMap(({ state: { n, id }, workspaceId, contentLocation: { content, contentKey } }) =>
      content !== null && contentKey === null ? [{ n, id, content, workspaceId }] : [],
    );
    for (const [workspaceId, emails] of Map.groupBy(inRow, (email) => email.workspaceId)) {
      if (emails.length < MIN_PACKED_EMAILS) continue;
      try {
        for (const moved of await packContents(this.#ctx, workspaceId, emails)) this.#moved.set(moved.n, moved);
      } catch (error) {
        this.#ctx.log("delivery.content.not_moved", { error: String(error) });
      }
    }
  }
}
