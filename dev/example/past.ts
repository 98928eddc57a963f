import { runAutomations } from "../../src/audience/automations/index.ts";
import { idOfTime, uuidv7 } from "../../src/lib/ids.ts";
import { sendNotifications } from "../../src/notices/notification-channels/index.ts";
import type { Ctx, MailCtx, OutboxCtx, WakeUp } from "../../src/platform/context.ts";
import { createContext } from "../../src/platform/create-context.ts";
import { onMain, onShard } from "../../src/platform/jobs/shards.ts";
import { isWakeUp, runOutboxRows } from "../../src/run-outbox.ts";
import { DeliveryRun, deliverRows, newRunLimits, runLowPriority } from "../../src/sending/delivery/index.ts";
import { ScriptedEgress } from "./scripted-egress.ts";

/** Least delay of a queue message that has one, in ms. */
const POLL_MS = 600_000;

// Emails of broadcasts leave by their own rows, and scheduled ones after the past.
const FIND_RETRY = `
  SELECT due_at AS dueAt, coalesce(outbox_id, id) AS id, 'deliver' AS kind FROM emails
   WHERE workspace = ?1 AND due_at IS NOT NULL AND broadcast IS NULL AND status = 'queued' ORDER BY due_at LIMIT 1`;

/**
 * Runs operations of the service at times of the past, on its real databases: `ctx` has a clock of its own, and queue messages stay
 * here, so that emails of the past leave at their time and through a scripted egress.
 */
export class Past {
  readonly ctx: Ctx;
  readonly egress = new ScriptedEgress();
  /** Context of the mail database of the workspace, and its number. Set once it exists. */
  mail: { ctx: MailCtx; workspace: number } | null = null;
  #now: number;
  /** The deferred email that is tried again next. */
  #retry: (WakeUp & { ctx: MailCtx }) | null = null;
  #agenda: { at: number; run: () => Promise<unknown> }[] = [];

  /** `now`: where the past begins, in ms since 1970. */
  constructor(env: Env, now: number) {
    this.#now = now;
    const queue = {
      send: async (body: unknown, options?: QueueSendOptions) => this.#enqueue(body, options),
      sendBatch: async (messages: Iterable<MessageSendRequest>) => {
        for (const { body, ...options } of messages) this.#enqueue(body, options);
      },
    } as unknown as Queue;
    const silent = { ...queue, sendBatch: async () => {} } as unknown as Queue;
    this.ctx = {
      // Each event would wake automations; they run when something is planned.
      ...createContext({ ...env, WORK: queue, AUTOMATIONS: silent, WEBHOOKS: silent }, "example", () => this.#now),
      newId: () => idOfTime(this.#now++, uuidv7(Date.now())),
      log: () => {},
    };
  }

  /** Plans work for a time, in ms since 1970. */
  plan(at: number, run: () => Promise<unknown>): void {
    this.#agenda.push({ at: Math.round(at), run });
  }

  /** Does everything that is planned, or due in the outbox, until a time. */
  async moveTo(time: number): Promise<void> {
    for (;;) {
      const next = this.#agenda.toSorted((a, b) => a.at - b.at)[0];
      const due = this.#retry;
      if (due && due.dueAt <= Math.min(time, next?.at ?? time)) {
        this.#now = Math.max(this.#now, due.dueAt);
        await this.#deliver(due.ctx, [due]);
      } else if (next && next.at <= time) {
        this.#agenda.splice(this.#agenda.indexOf(next), 1);
        this.#now = Math.max(this.#now, next.at);
        await next.run();
      } else break;
    }
    this.#now = Math.max(this.#now, time);
  }

  #enqueue(body: unknown, { delaySeconds = 0 }: QueueSendOptions = {}): void {
    // A broadcast that waits asks each second otherwise, over days.
    const delay = delaySeconds === 0 ? 0 : Math.max(POLL_MS, 1_000 * delaySeconds);
    this.plan(this.#now + delay, () => this.#consume(body));
  }

  async #findRetry(): Promise<(WakeUp & { ctx: MailCtx }) | null> {
    if (this.mail === null) return null;
    const { ctx, workspace } = this.mail;
    const row = await ctx.outbox.prepare(FIND_RETRY).bind(workspace).first<WakeUp>();
    return row && { ...row, ctx };
  }

  async #consume(body: unknown): Promise<void> {
    const { ctx } = this;
    if (!isWakeUp(ctx, body as { type: string })) return;
    const { database, rows } = body as { database: number | "main"; rows: WakeUp[] };
    if (database === "main") return this.#runMain(onMain(ctx), rows);
    const mailCtx = onShard(ctx, database);
    const isMail = ({ kind }: WakeUp) => kind === "deliver" || kind === "bulk";
    if (rows.some(isMail)) await this.#deliver(mailCtx, rows.filter(isMail));
    await runOutboxRows(
      mailCtx,
      rows.filter((row) => !isMail(row)),
    );
  }

  /** Stores alerts without emailing them: the mailbox of the service belongs to another workspace. */
  async #runMain(ctx: OutboxCtx<"main">, rows: readonly WakeUp[]): Promise<void> {
    const notices = rows.filter(({ kind }) => kind === "notify");
    await sendNotifications(ctx, notices, async () => true);
    await runOutboxRows(
      ctx,
      rows.filter((row) => !notices.includes(row)),
    );
  }

  /** Moves the runs of automations that are due now. */
  async runAutomations(): Promise<void> {
    if (this.mail) await runAutomations(this.mail.ctx);
  }

  async #deliver(ctx: MailCtx, rows: readonly WakeUp[]): Promise<void> {
    // A reply takes a moment.
    this.#now += 900 + (this.#now % 1_700);
    const run = new DeliveryRun(ctx, this.egress.egress, newRunLimits());
    const bulk = rows.filter(({ kind }) => kind === "bulk");
    try {
      await deliverRows(
        ctx,
        rows.filter(({ kind }) => kind === "deliver"),
        run,
      );
      if (bulk.length > 0) await runLowPriority(ctx, run);
    } finally {
      await run.end();
    }
    if (this.egress.takeDeferrals() || this.#retry) this.#retry = await this.#findRetry();
  }
}
