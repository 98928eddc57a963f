import { DurableObject } from "cloudflare:workers";
import { createContext } from "../src/platform/create-context.ts";
import {
  type ObjectCall,
  type ObjectResult,
  performCall,
  runDeadline,
  type TransferObject,
} from "../src/transfers/domain-transfers/index.ts";

const DOMAIN = "domain";

/**
 * The transfers of one domain: handles its calls one after the other and holds the alarm of the next deadline. The rows of the
 * main database count: every change is a guarded batch there, and the outbox has a row for each deadline, in case the alarm is
 * lost.
 */
export class DomainTransferObject extends DurableObject<Env> implements TransferObject {
  #last: Promise<unknown> = Promise.resolve();

  perform(call: ObjectCall): Promise<ObjectResult> {
    return this.#inTurn(async () => {
      const { result, deadline } = await performCall(this.env, call);
      if (deadline !== undefined) await this.#setDeadline(call.domainId, deadline);
      return result;
    });
  }

  runDeadline(domainId: string, now: number): Promise<void> {
    return this.#inTurn(async () => {
      const ctx = createContext(this.env, crypto.randomUUID(), () => now);
      await this.#setDeadline(domainId, await runDeadline(ctx, domainId));
    });
  }

  /** Runs at a deadline. The platform repeats it when it throws. */
  override async alarm(): Promise<void> {
    const domainId = this.ctx.storage.kv.get<string>(DOMAIN);
    if (domainId !== undefined) await this.runDeadline(domainId, Date.now());
  }

  /** Runs `work` after the work before it, which may have failed. Calls wait for the database, so they would interleave. */
  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work, work);
    this.#last = result.catch(() => {});
    return result;
  }

  /** Sets the alarm, or frees the object's storage when there is no deadline. */
  async #setDeadline(domainId: string, deadline: number | null): Promise<void> {
    const { storage } = this.ctx;
    if (deadline === null) {
      await storage.deleteAlarm();
      return storage.deleteAll();
    }
    storage.kv.put(DOMAIN, domainId);
    await storage.setAlarm(deadline);
  }
}
