import { EventSockets } from "../src/mailboxes/inbox/events/index.ts";
import {
  appendMessage,
  changeFlags,
  copyMessages,
  expungeMarked,
  expungeOldest,
  type FlagChanges,
  flagsSet,
  folderName,
  type MailboxChange,
  messagesCopied,
  messagesExpunged,
  migrate,
  type NewMessage,
  nextExpiry,
  readQuota,
  subscribe,
} from "../src/mailboxes/mailbox-store/index.ts";
import { MailboxReads } from "./mailbox-reads.ts";

const newId = () => crypto.randomUUID();

/** Runs the changes of a mailbox object: those of mail programs are here, the others in mailbox.ts. */
export abstract class MailboxChanges extends MailboxReads {
  protected readonly sockets: EventSockets;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.sockets = new EventSockets(ctx, env);
    ctx.storage.transactionSync(() => migrate(ctx.storage.sql, Date.now()));
  }

  /** Runs a change in a transaction, sets the alarm for what it leaves to do, and tells the sockets of it. */
  protected async change<Result>(
    change: () => Result,
    toChanges: (result: NoInfer<Result>) => MailboxChange[] = () => [],
  ): Promise<Result> {
    const result = this.ctx.storage.transactionSync(change);
    await this.setAlarm();
    this.sockets.announce(toChanges(result));
    return result;
  }

  /** Sets the alarm for the next expiry, or for the next end of a socket. `structuresIn`: ms until structures are looked for. */
  protected async setAlarm(structuresIn = 0): Promise<void> {
    const times = [nextExpiry(this.sql, Date.now() + structuresIn), this.sockets.nextEnd()].filter(
      (time) => time !== null,
    );
    if (times.length === 0) return;
    const next = Math.max(Math.min(...times), Date.now());
    const planned = await this.ctx.storage.getAlarm();
    if (planned === null || next < planned) await this.ctx.storage.setAlarm(next);
  }

  /** Opens a socket of changes. */
  override async fetch(request: Request): Promise<Response> {
    const response = this.sockets.accept(request);
    await this.setAlarm();
    return response;
  }

  override webSocketMessage(socket: WebSocket): void {
    this.sockets.refuseMessage(socket);
  }

  /** Closes the sockets of clients whose access has ended. */
  async checkAccess() {
    await this.sockets.checkEnded();
  }

  /** Stores a message of a mail program with its flags. */
  append(message: NewMessage, changes: FlagChanges, quotaBytes: number | null) {
    return this.change(
      () => appendMessage(this.sql, message, changes, { quotaBytes, now: Date.now(), newId }),
      (result) =>
        result.result === "added" ? [{ type: "message", folder: folderName(message.folder), uid: result.uid }] : [],
    );
  }

  subscribe(name: string, isSubscribed: boolean) {
    return this.change(() => subscribe(this.sql, name, isSubscribed));
  }

  /** Changes flags and keywords of messages. Returns them as they are now. */
  changeFlags(folder: string, uids: readonly number[], changes: FlagChanges, unchangedSince: number | null = null) {
    return this.change(
      () => changeFlags(this.sql, folder, uids, changes, unchangedSince),
      (result) =>
        "states" in result
          ? flagsSet(
              folder,
              result.states.map(({ uid }) => uid),
            )
          : [],
    );
  }

  /** Copies messages. Returns their UIDs before and after. */
  copy(from: string, uids: readonly number[], to: string, quotaBytes: number | null) {
    return this.change(
      () => copyMessages(this.sql, { from, uids, to }, { quotaBytes, now: Date.now() }),
      (result) => ("copied" in result ? messagesCopied(to, result.copied) : []),
    );
  }

  /** Expunges messages that are marked as deleted: all of a folder, or those of these UIDs. Returns their UIDs and the bytes that are left. */
  expungeMarked(folder: string, uids: readonly number[] | null) {
    return this.expungeBy(folder, () => expungeMarked(this.sql, folder, uids, Date.now()));
  }

  /** Expunges messages of a folder, some of many. Returns their UIDs and the bytes that are left. */
  expungeOldest(folder: string) {
    return this.expungeBy(folder, () => expungeOldest(this.sql, folder, Date.now()));
  }

  /** Expunges the messages whose UIDs `expunge` returns. Returns them and the bytes that are left, or null when there is no folder. */
  protected expungeBy(folder: string, expunge: () => number[] | null) {
    return this.change(
      () => {
        const expunged = expunge();
        return expunged && { uids: expunged, usedBytes: readQuota(this.sql).usedBytes };
      },
      (expunged) => messagesExpunged(folder, expunged?.uids ?? null),
    );
  }
}
