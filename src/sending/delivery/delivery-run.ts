import { EGRESS_LEASE_MS } from "../../mail/egress-tickets/index.ts";
import type { Ctx } from "../../platform/context.ts";
import { addMetrics } from "../../platform/daily-metrics/index.ts";
import { CLAIM_EMAILS, LEASE_MS } from "../../platform/outbox/index.ts";
import { isBulkSource } from "../emails/index.ts";
import type { ReceiverWaitRow } from "../receivers/index.ts";
import type { ActiveClaim } from "./active-claim.ts";
import type { Claim } from "./claim.ts";
import type { Egress, UnusableEgress } from "./egress.ts";
import { EgressStream } from "./egress-stream.ts";
import type { RunLimits } from "./rules.ts";

interface RunOptions {
  /** Mail databases that the run claims from at once. */
  databases?: number;
  /** The egress of broadcasts and bulk sends; null: they have none of their own. */
  bulk?: Egress | UnusableEgress | null;
}

/** The emails of a claim that leave by one egress. */
interface ClaimPart {
  stream: EgressStream;
  active: ActiveClaim;
}

/** The deliveries of one invocation of the Worker: a stream for each egress, with limits that they share. */
export class DeliveryRun {
  /** Counts that are left to the run. */
  readonly limits: RunLimits;
  /** Emails that one claim takes. */
  readonly maxClaimEmails: number;
  readonly #main: EgressStream;
  readonly #bulk: EgressStream | null;
  #hasClaimed = false;

  constructor(
    ctx: Pick<Ctx, "log" | "now">,
    configured: Egress | UnusableEgress,
    limits: RunLimits,
    { databases = 1, bulk = null }: RunOptions = {},
  ) {
    const sharesSockets = bulk !== null;
    this.limits = limits;
    this.maxClaimEmails = maxClaimEmails(databases);
    this.#main = new EgressStream(ctx, configured, limits, { isBulk: false, sharesSockets });
    this.#bulk = bulk && new EgressStream(ctx, bulk, limits, { isBulk: true, sharesSockets });
  }

  /** How long a claim lasts, in milliseconds: an egress that holds emails does so under it. */
  get leaseMs(): number {
    return this.isHolding ? EGRESS_LEASE_MS : LEASE_MS;
  }

  /** An egress of the run holds emails, as far as is known. */
  get isHolding(): boolean {
    return this.#streams.some(({ egress }) => egress?.holding?.isOffered === true);
  }

  /** The egress accepted an email although an outage was known: the outage has ended. */
  get hasEndedOutage(): boolean {
    return this.#main.hasEndedOutage;
  }

  /** Why egresses of the deployment cannot be used. */
  get issues(): UnusableEgress[] {
    return this.#streams.flatMap(({ egressIssue }) => egressIssue ?? []);
  }

  /** Returns why there is no egress for the emails of a source, or null. */
  issueOf(source: string): UnusableEgress | null {
    return this.#streamOf(source).egressIssue;
  }

  /** Adds the waits that other runs have stored, each for the egress that told it. */
  addStoredWaits(rows: readonly ReceiverWaitRow[]): void {
    this.#main.waits.addStored(rows.filter((wait) => wait.is_bulk === 0));
    this.#bulk?.waits.addStored(rows.filter((wait) => wait.is_bulk === 1));
  }

  /** Adds a claim that took rows, and the run with its first one, to the metrics of today. */
  countClaim(ctx: Ctx, { rows, mails }: Pick<Claim, "rows" | "mails">): void {
    if (rows.length === 0) return;
    const metrics = { runs: Number(!this.#hasClaimed), claims: 1, claimed_rows: rows.length };
    addMetrics(ctx, { ...metrics, claimed_emails: mails.length });
    this.#hasClaimed = true;
  }

  /** Sends the emails in the queue of a claim. Resolves when none is in progress and no further one can start. Throws its error. */
  async send(active: ActiveClaim): Promise<void> {
    const parts = this.#partsOf(active);
    await Promise.all(parts.map(({ stream, active: part }) => stream.send(part)));
    for (const { stream, active: part } of parts) {
      await stream.deferUnreachable(part);
      await stream.waits.save(part.ctx);
      active.error ??= part.error;
    }
  }

  /** Looks again which claims are finished and which emails may start. Call it after a change of either. */
  readonly notify = (): void => {
    for (const stream of this.#streams) stream.notify();
  };

  /** Closes the connections. Call it when no claim is active any more. */
  async end(): Promise<void> {
    await Promise.all(this.#streams.map((stream) => stream.end()));
  }

  get #streams(): EgressStream[] {
    return this.#bulk ? [this.#main, this.#bulk] : [this.#main];
  }

  #streamOf(source: string): EgressStream {
    return this.#bulk && isBulkSource(source) ? this.#bulk : this.#main;
  }

  #partsOf(active: ActiveClaim): ClaimPart[] {
    const bulk = this.#bulk;
    if (!bulk) return [{ stream: this.#main, active }];
    const isBulk = ({ mail }: ActiveClaim["queue"][number]) => this.#streamOf(mail.source) === bulk;
    const own = active.queue.filter(isBulk);
    active.queue = active.queue.filter((email) => !isBulk(email));
    // Only EGRESS_URL has outages.
    return [
      { stream: this.#main, active },
      { stream: bulk, active: { ...active, queue: own, isOutage: false } },
    ];
  }
}

/** Returns the emails that one claim takes: those of all claims of a run together fit into the memory of an isolate. */
function maxClaimEmails(databases: number): number {
  return databases <= 2 ? CLAIM_EMAILS : CLAIM_EMAILS / 2;
}
