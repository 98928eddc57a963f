import type { Ctx } from "../../../platform/context.ts";
import { addMetrics } from "../../../platform/daily-metrics/counters.ts";
import { CLAIM_EMAILS } from "../../../platform/outbox/rules.ts";
import { MAIN_EGRESS } from "../../../platform/settings/named-egresses.ts";
import { egressNameOf } from "../../receivers/index.ts";
import type { ActiveClaim, Claim, ClaimedMail } from "../claim/index.ts";
import { type Egress, egressNamed, egressNames, isAnyHolding, type UnusableEgress } from "../egresses/index.ts";
import { CONTENT_BYTES_IN_FLIGHT, MAX_CONNECTIONS, type RunLimits } from "../rules.ts";
import { EgressStream } from "./egress-stream.ts";
import { SharedConnections } from "./shared-connections.ts";

interface RunOptions {
  /** Mail databases that the run claims from at once. */
  databases?: number;
  /** How long an egress waits for a connection, in ms, if not as in production. */
  connectionWaitMs?: number;
}

/** The emails of a claim that leave by one egress. */
interface ClaimPart {
  stream: EgressStream;
  active: ActiveClaim;
}

/**
 * The deliveries of one invocation of the Worker: a stream for each egress that its emails take, made when the first of them does, with
 * limits and connections that they share.
 */
export class DeliveryRun {
  /** Counts that are left to the run. */
  readonly limits: RunLimits;
  /** Emails that one claim takes. */
  readonly maxClaimEmails: number;
  readonly #ctx: Pick<Ctx, "log" | "now" | "settings">;
  readonly #main: EgressStream;
  /** By name of the egress. */
  readonly #streams = new Map<string, EgressStream>();
  readonly #connections: SharedConnections;
  #hasClaimed = false;

  /** `main` is the egress of EGRESS_URL; the others are those of the settings. */
  constructor(
    ctx: Pick<Ctx, "log" | "now" | "settings">,
    main: Egress | UnusableEgress,
    limits: RunLimits,
    { databases = 1, connectionWaitMs }: RunOptions = {},
  ) {
    this.#ctx = ctx;
    this.limits = limits;
    this.maxClaimEmails = maxClaimEmails(databases);
    this.#connections = new SharedConnections(() => this.notify(), connectionWaitMs);
    this.#main = this.#addStream(MAIN_EGRESS, main);
  }

  /** An egress of the deployment holds emails, as far as is known. */
  get isHolding(): boolean {
    return this.#main.egress?.holding?.isOffered === true || isAnyHolding(this.#ctx.settings);
  }

  /** The egress of EGRESS_URL accepted an email although an outage was known: the outage has ended. */
  get hasEndedOutage(): boolean {
    return this.#main.hasEndedOutage;
  }

  /** Returns why there is no egress for an email, or null. */
  issueOf(mail: ClaimedMail): UnusableEgress | null {
    return this.#streamOf(mail).egressIssue;
  }

  /** Returns why egresses that these emails take cannot be used. */
  issuesOf(mails: readonly ClaimedMail[]): UnusableEgress[] {
    return [...this.#streamsOf(mails).values()].flatMap(({ egressIssue }) => egressIssue ?? []);
  }

  /** Adds the waits that other runs have stored, each for the egress that told it, if an email of the claim takes that. */
  addStoredWaits({ mails, waits }: Pick<Claim, "mails" | "waits">): void {
    for (const [name, { waits: own }] of this.#streamsOf(mails))
      own.addStored(waits.filter(({ egress }) => egress === name));
  }

  /** Adds a claim that took rows, and the run with its first one, to the metrics of today. */
  countClaim(ctx: Ctx, { emailsOf, mails }: Pick<Claim, "emailsOf" | "mails">): void {
    if (emailsOf.size === 0) return;
    const metrics = { runs: Number(!this.#hasClaimed), claims: 1, claimed_rows: emailsOf.size };
    addMetrics(ctx, { ...metrics, claimed_emails: mails.length });
    this.#hasClaimed = true;
  }

  /** Sends the emails in the queue of a claim. Resolves when none is in progress and no further one can start. Throws its error. */
  async send(active: ActiveClaim): Promise<void> {
    const sendPart = async ({ stream, active: part }: ClaimPart) => {
      await stream.send(part);
      await stream.deferUnreachable(part);
      await stream.passOn(part);
      await stream.waits.save(part.ctx);
      active.error ??= part.error;
    };
    await Promise.all(this.#partsOf(active).map(sendPart));
  }

  /** Looks again which claims are finished and which emails may start. Call it after a change of either. */
  readonly notify = (): void => {
    for (const stream of this.#streams.values()) stream.notify();
  };

  /** Closes the connections. Call it when no claim is active any more. */
  async end(): Promise<void> {
    await Promise.all([...this.#streams.values()].map((stream) => stream.end()));
  }

  #nameOf({ sender, source }: ClaimedMail): string {
    return egressNameOf(this.#ctx.settings, { assigned: sender.egress, source });
  }

  #streamOf(mail: ClaimedMail): EgressStream {
    const name = this.#nameOf(mail);
    return this.#streams.get(name) ?? this.#addStream(name, egressNamed(this.#ctx.settings, name));
  }

  /** Returns the streams that these emails take, by name. */
  #streamsOf(mails: readonly ClaimedMail[]): Map<string, EgressStream> {
    return new Map(mails.map((mail) => [this.#nameOf(mail), this.#streamOf(mail)]));
  }

  #addStream(name: string, egress: Egress | UnusableEgress): EgressStream {
    const egresses = egressNames(this.#ctx.settings).length;
    const stream = new EgressStream(this.#ctx, egress, this.limits, {
      name,
      connections: this.#connections,
      // With others, half of them is left, so that a second egress never waits for a slow first one.
      maxConnections: egresses > 1 ? MAX_CONNECTIONS / 2 : MAX_CONNECTIONS,
      contentBytes: egresses > 2 ? CONTENT_BYTES_IN_FLIGHT / 2 : CONTENT_BYTES_IN_FLIGHT,
    });
    this.#streams.set(name, stream);
    return stream;
  }

  #partsOf(active: ActiveClaim): ClaimPart[] {
    const [first, ...others] = Map.groupBy(active.queue, ({ mail }) => this.#streamOf(mail));
    if (!first) return [];
    if (others.length === 0 && first[0] === this.#main) return [{ stream: this.#main, active }];
    // Only EGRESS_URL has outages.
    return [first, ...others].map(([stream, queue]) => ({
      stream,
      active: { ...active, queue, isOutage: stream === this.#main && active.isOutage },
    }));
  }
}

/** Returns the emails that one claim takes: those of all claims of a run together fit into the memory of an isolate. */
const maxClaimEmails = (databases: number): number => (databases <= 2 ? CLAIM_EMAILS : CLAIM_EMAILS / 2);
