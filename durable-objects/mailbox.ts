import { EventSockets } from "../src/mailboxes/inbox/events/index.ts";
import {
  addStructures,
  continueFilterRun,
  type MailboxOperations,
  migrate,
  nextExpiry,
  type Operation,
  operations,
  runExpiry,
} from "../src/mailboxes/mailbox-store/index.ts";
import { createContext } from "../src/platform/create-context.ts";
import { BackupObject } from "./backup-object.ts";

type Operated = abstract new (...args: ConstructorParameters<typeof BackupObject>) => BackupObject & MailboxOperations;

/**
 * The mail of one hosted mailbox, named by the mailbox's id: folders, messages and their search index. The raw messages are
 * objects in R2. Its methods are the operations of src/mailboxes/mailbox-store/operations.ts. Storage is synchronous, so calls cannot
 * interleave.
 */
export class MailboxObject extends (BackupObject as Operated) {
  readonly #sockets: EventSockets;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#sockets = new EventSockets(ctx, env);
    ctx.storage.transactionSync(() => migrate(ctx.storage.sql, Date.now()));
  }

  static {
    // Methods of RPC must be on the prototype.
    for (const [name, operation] of Object.entries<Operation<unknown[], unknown>>(operations))
      Object.defineProperty(MailboxObject.prototype, name, {
        value(this: MailboxObject, ...args: unknown[]) {
          return this.#perform(operation, args);
        },
      });
  }

  /** Runs an operation. After a change it sets the alarm for what that leaves to do, and tells clients with an open socket of it. */
  async #perform({ isRead, run }: Operation<unknown[], unknown>, args: unknown[]): Promise<unknown> {
    if (isRead) return run(this.sql, Date.now(), args).result;
    const { result, changes } = this.ctx.storage.transactionSync(() => run(this.sql, Date.now(), args));
    await this.#setAlarm();
    this.#sockets.announce(changes);
    return result;
  }

  /** Sets the alarm for the next expiry, or for the next end of a socket. `structuresIn`: ms until structures are looked for. */
  async #setAlarm(structuresIn = 0): Promise<void> {
    const times = [nextExpiry(this.sql, Date.now() + structuresIn), this.#sockets.nextEnd()].filter(
      (time) => time !== null,
    );
    if (times.length === 0) return;
    const next = Math.max(Math.min(...times), Date.now());
    const planned = await this.ctx.storage.getAlarm();
    if (planned === null || next < planned) await this.ctx.storage.setAlarm(next);
  }

  /** Opens a socket of changes. */
  override async fetch(request: Request): Promise<Response> {
    const response = this.#sockets.accept(request);
    await this.#setAlarm();
    return response;
  }

  override webSocketMessage(socket: WebSocket): void {
    this.#sockets.refuseMessage(socket);
  }

  /** Closes the sockets of clients whose access has ended. */
  async checkAccess() {
    await this.#sockets.checkEnded();
  }

  /** Deletes everything that the mailbox has. */
  async destroy() {
    this.#sockets.closeAll();
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }

  /**
   * Removes what has been in Trash or Spam for 30 days, and the objects of expunged messages, goes on with a run of the filters, finds out
   * structures, and closes the sockets whose access has ended. Safe to repeat.
   */
  override async alarm(): Promise<void> {
    await this.#sockets.check();
    const ctx = createContext(this.env, crypto.randomUUID());
    this.#sockets.announce(this.ctx.storage.transactionSync(() => continueFilterRun(this.sql, Date.now())));
    await runExpiry(ctx, this.ctx.storage, (changes) => this.#sockets.announce(changes));
    await this.#setAlarm(await addStructures(ctx, this.ctx.storage));
  }
}
