/** The Durable Objects, whose own calls are at a distance too. */
import { DomainTransferObject as DomainTransfer } from "../../../durable-objects/domain-transfer.ts";
import { MailboxObject as Mailbox } from "../../../durable-objects/mailbox.ts";
import { RateLimiterObject as RateLimiter } from "../../../durable-objects/rate-limiter.ts";
import { advanceClock } from "./clock.ts";
import { distant } from "./isolate.ts";

export class DomainTransferObject extends DomainTransfer {
  constructor(state: DurableObjectState, env: Env) {
    super(state, distant(env));
  }

  override async alarm(): Promise<void> {
    advanceClock();
    await super.alarm();
  }
}

export class MailboxObject extends Mailbox {
  constructor(state: DurableObjectState, env: Env) {
    super(state, distant(env));
  }

  override async alarm(): Promise<void> {
    advanceClock();
    await super.alarm();
  }
}

export class RateLimiterObject extends RateLimiter {
  constructor(state: DurableObjectState, env: Env) {
    super(state, distant(env));
  }
}
