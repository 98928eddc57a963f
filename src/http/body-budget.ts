import { type AppError, tooLarge, tooManyRequests } from "../lib/errors.ts";

/** Sizes in bytes. `tries` and `pollMs` say how often and how fast a body asks again for room. */
export interface BudgetLimits {
  total: number;
  perWorkspace: number;
  /** For the bodies of callers that are not known yet, in all. */
  unknownCallers: number;
  tries: number;
  pollMs: number;
}

/** Waits 15 s for room (docs/contract/requests.md#bodies). A number of tries, because clocks stand still between awaits in production. */
const WAIT = { tries: 300, pollMs: 50 };

/** Memory for the bodies in an isolate, of its 128 MB. No workspace can take it all: its slow uploads leave room for those of others. */
export const largeBodyLimits: BudgetLimits = {
  total: 64_000_000,
  perWorkspace: 44_000_000,
  unknownCallers: 0,
  ...WAIT,
};
/** The same for bodies up to 64 KiB, which large ones must not delay. */
export const smallBodyLimits: BudgetLimits = {
  total: 16_000_000,
  perWorkspace: 8_000_000,
  unknownCallers: 4_000_000,
  ...WAIT,
};

/** The workspace of a caller that is not known yet. */
export const UNKNOWN_CALLER = 0;

/** Bounds the bytes that the requests of one isolate hold, in all and for each workspace. */
export class BodyBudget {
  readonly limits: BudgetLimits;
  #held = 0;
  readonly #byWorkspace = new Map<number, number>();

  constructor(limits: BudgetLimits) {
    this.limits = limits;
  }

  /** Bytes held now. */
  get held(): number {
    return this.#held;
  }

  /** Opens a hold of no bytes for one request. The caller must free it. */
  open(workspace: number): BodyHold {
    return new BodyHold(this, workspace);
  }

  /** Changes what a workspace holds. Returns false, and changes nothing, when there is no room for more. */
  change(workspace: number, bytes: number): boolean {
    const own = (this.#byWorkspace.get(workspace) ?? 0) + bytes;
    const { total } = this.limits;
    if (bytes > 0 && (own > this.#limitOf(workspace) || this.#held + bytes > total)) return false;
    this.#held += bytes;
    this.#set(workspace, own);
    return true;
  }

  /** Moves bytes of unknown callers to a workspace. Returns false, and changes nothing, when it has no room for them. */
  move(workspace: number, bytes: number): boolean {
    const own = (this.#byWorkspace.get(workspace) ?? 0) + bytes;
    if (own > this.#limitOf(workspace)) return false;
    this.#set(workspace, own);
    this.#set(UNKNOWN_CALLER, (this.#byWorkspace.get(UNKNOWN_CALLER) ?? 0) - bytes);
    return true;
  }

  #limitOf(workspace: number): number {
    return workspace === UNKNOWN_CALLER ? this.limits.unknownCallers : this.limits.perWorkspace;
  }

  #set(workspace: number, bytes: number): void {
    if (bytes > 0) this.#byWorkspace.set(workspace, bytes);
    else this.#byWorkspace.delete(workspace);
  }
}

/** The bytes that one request holds. */
export class BodyHold {
  readonly #budget: BodyBudget;
  #workspace: number;
  #bytes = 0;

  constructor(budget: BodyBudget, workspace: number) {
    this.#budget = budget;
    this.#workspace = workspace;
  }

  /**
   * Grows the hold to `bytes`; a smaller number changes nothing. Waits for room, and throws 429 when there is none after
   * all tries. Throws 413 for more than a workspace may hold at all. Polls: room that was freed may be too little for the one that waits
   * longest, and enough for another.
   */
  async growTo(bytes: number): Promise<void> {
    const { limits } = this.#budget;
    if (bytes > limits.perWorkspace) throw tooLarge(`The body needs more than ${limits.perWorkspace} bytes of memory`);
    await this.#poll(() => this.tryGrowTo(bytes));
  }

  /** Grows the hold to `bytes` when there is room. Returns false, and changes nothing, when there is none. */
  tryGrowTo(bytes: number): boolean {
    if (bytes <= this.#bytes) return true;
    if (!this.#budget.change(this.#workspace, bytes - this.#bytes)) return false;
    this.#bytes = bytes;
    return true;
  }

  /** Attributes the hold of an unknown caller to a workspace. Waits for room as `growTo` does. */
  async moveTo(workspace: number): Promise<void> {
    await this.#poll(() => this.#budget.move(workspace, this.#bytes));
    this.#workspace = workspace;
  }

  async #poll(isDone: () => boolean): Promise<void> {
    const { limits } = this.#budget;
    for (let tries = 0; !isDone(); tries++) {
      if (tries >= limits.tries) throw noRoom(limits);
      await new Promise((resolve) => setTimeout(resolve, limits.pollMs));
    }
  }

  /** Subtracts all bytes of the body from the budget. */
  free(): void {
    this.#budget.change(this.#workspace, -this.#bytes);
    this.#bytes = 0;
  }
}

/** Seconds that a client should wait: about the time that a body of some megabytes takes. */
const RETRY_AFTER_SECONDS = 5;

function noRoom({ perWorkspace }: BudgetLimits): AppError {
  const policy = `"request-bodies";q=${perWorkspace};qu="content-bytes"`;
  return tooManyRequests(
    "Too many request bodies are being read at the same time; try again",
    RETRY_AFTER_SECONDS,
    policy,
  );
}
