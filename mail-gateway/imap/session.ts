import type { Command } from "../../src/mail/imap/commands.ts";
import { ImapError, ImapSyntaxError } from "../../src/mail/imap/cursor.ts";
import { type Clock, resultWithin } from "../clock.ts";
import { ClosedError, LineError } from "./byte-queue.ts";
import { BrokenResponseError, CommandError, unavailable } from "./command-error.ts";
import { type ReceivedCommand, UnreadableCommandError } from "./command-source.ts";
import { commandStates, type SessionState, tellsExpunges } from "./command-states.ts";
import type { ResponseWriter } from "./response-writer.ts";
import type { SelectedFolder } from "./selected-folder.ts";
import type { WorkerMailbox } from "./worker-mailbox.ts";

/** Wait before changes that could not be read are read again while a client waits for them, in ms. */
const RETRY_MS = 5_000;
/** Errors after which nothing of the connection can be understood or written. */
const ENDING = [BrokenResponseError, ClosedError, LineError, UnreadableCommandError];

/** How a command ended. The code is a response code without its brackets. */
export interface Completion {
  text: string;
  code?: string | undefined;
}

/** The members of a union of commands that have this name. */
export type CommandOf<Name extends Command["name"]> = Command extends infer Each
  ? Each extends { name: infer Own }
    ? Name extends Own
      ? Each & { name: Name }
      : never
    : never
  : never;

/** A function for each command. */
export type Handlers<Names extends Command["name"] = Command["name"]> = {
  [Name in Names]: (session: Session, command: CommandOf<Name>, received: ReceivedCommand) => Promise<Completion>;
};

/** The connection, as far as a session needs it. */
export interface SessionOptions {
  writer: ResponseWriter;
  isSecure: boolean;
  /** Bytes of the largest message that APPEND takes. */
  appendLimit: number;
  handlers: Handlers;
  clock: Clock;
  log(event: string, fields?: Record<string, unknown>): void;
  /** Ends the connection when the access has ended. */
  onAccessEnded(): void;
}

/** The state of one client: its mailbox, the folder that it has selected, and what it has enabled. */
export class Session {
  readonly writer: ResponseWriter;
  /** True: it uses TLS. */
  isSecure: boolean;
  readonly appendLimit: number;
  /** True when the connection ends after the response. */
  isOver = false;
  /** Modification sequences are told. */
  condstore = false;
  readonly syntax = { allowsUtf8: false };
  failedLogins = 0;
  readonly #handlers: Handlers;
  readonly #clock: Clock;
  readonly #log: SessionOptions["log"];
  readonly #onAccessEnded: () => void;
  #mailbox: WorkerMailbox | null = null;
  #selected: SelectedFolder | null = null;
  /** The name of the folder that is being read to be selected. */
  #opening: string | null = null;
  /** True when changes may have happened that the selected folder does not have. */
  #isStale = false;
  /** Leaves the mailbox. */
  #leave: () => void = () => {};
  /** Called at a change of the selected folder, while the client waits for changes. */
  #onChange: (() => void) | null = null;

  constructor({ writer, isSecure, appendLimit, handlers, clock, log, onAccessEnded }: SessionOptions) {
    this.appendLimit = appendLimit;
    this.writer = writer;
    this.isSecure = isSecure;
    this.#handlers = handlers;
    this.#clock = clock;
    this.#log = log;
    this.#onAccessEnded = onAccessEnded;
  }

  get state(): SessionState {
    if (this.#selected) return "selected";
    return this.#mailbox ? "authenticated" : "not-authenticated";
  }

  get mailbox(): WorkerMailbox {
    if (!this.#mailbox) throw new CommandError("Log in first", null, "BAD");
    return this.#mailbox;
  }

  get selected(): SelectedFolder {
    if (!this.#selected) throw new CommandError("Select a mailbox first", null, "BAD");
    return this.#selected;
  }

  /** The selected folder, if it may be changed. */
  get writable(): SelectedFolder {
    if (this.selected.isReadOnly) throw new CommandError("The mailbox is read-only", "READ-ONLY");
    return this.selected;
  }

  enter(mailbox: WorkerMailbox): void {
    this.#mailbox = mailbox;
    this.#leave = mailbox.listen({
      onChange: (folders) => {
        const name = this.#selected?.name ?? this.#opening;
        if (name === null || (folders !== null && !folders.includes(name))) return;
        this.#isStale = true;
        this.#onChange?.();
      },
      onEnd: this.#onAccessEnded,
    });
  }

  /** Reads the messages that a command of this client has added, if their folder is selected: it may use them in its next command. */
  async syncAdded(folder: string): Promise<void> {
    if (this.#selected?.name === folder) await this.sync();
  }

  /** Leaves the selected folder and selects what `read` returns. A change that is told meanwhile may not be in it. */
  async select(name: string, read: () => Promise<SelectedFolder>): Promise<SelectedFolder> {
    this.unselect();
    this.#opening = name;
    try {
      this.#selected = await read();
      return this.#selected;
    } finally {
      this.#opening = null;
    }
  }

  unselect(): void {
    this.#selected = null;
    this.#isStale = false;
  }

  close(): void {
    this.#leave();
  }

  /** Runs a command and writes its responses. */
  async run(received: ReceivedCommand): Promise<void> {
    const { tag, command } = received;
    try {
      if (command instanceof Error) throw command;
      if (!commandStates[command.name].includes(this.state))
        throw new CommandError(`${command.name} is not possible in this state`, null, "BAD");
      const run = this.#handlers[command.name] as (
        session: Session,
        command: Command,
        received: ReceivedCommand,
      ) => Promise<Completion>;
      const { text, code } = await run(this, command, received);
      if (this.#isStale) await this.sync();
      this.tell(tellsExpunges(command));
      this.#complete(tag, "OK", code ?? null, text);
    } catch (error) {
      if (ENDING.some((kind) => error instanceof kind)) throw error;
      this.#fail(tag, error);
    }
  }

  #fail(tag: string, error: unknown): void {
    if (error instanceof ImapSyntaxError) this.#complete(tag, "BAD", null, error.message);
    else if (error instanceof ImapError) this.#complete(tag, "NO", error.code, error.message);
    else if (error instanceof CommandError) this.#complete(tag, error.status, error.code, error.message);
    else {
      this.#log("imap.failed", { error: String(error) });
      const { status, code, message } = unavailable();
      this.#complete(tag, status, code, message);
    }
  }

  #complete(tag: string, status: "OK" | "NO" | "BAD", code: string | null, text: string): void {
    this.writer.lines([`${tag} ${status} ${code === null ? "" : `[${code}] `}${text}`]);
  }

  /**
   * Reads the changes of the selected folder that it does not have. A folder that is gone ends the session, because IMAP4rev1 has no
   * way to tell that.
   */
  async sync(): Promise<void> {
    const folder = this.#selected;
    if (!folder) return;
    this.#isStale = false;
    try {
      const changes = await this.mailbox.changes(folder.name, folder.syncedModseq);
      if (changes.uidvalidity !== folder.uidvalidity) this.end("The mailbox was replaced; select it again");
      else folder.apply(changes);
    } catch (error) {
      this.#isStale = true;
      if (error instanceof CommandError && error.code === "NONEXISTENT") this.end("The mailbox was deleted");
      else throw error;
    }
  }

  /** Says goodbye. The connection ends after the command. */
  end(text: string): void {
    this.#selected = null;
    this.isOver = true;
    this.writer.lines([`* BYE ${text}`]);
    this.#onChange?.();
  }

  /** Tells the client what it does not know of the selected folder. */
  tell(mayExpunge: boolean): void {
    this.writer.lines(this.#selected?.tell({ mayExpunge, condstore: this.condstore }) ?? []);
  }

  /** Tells changes as they happen until `ended` settles. While the Worker cannot be reached there are none. */
  async tellUntil(ended: Promise<unknown>): Promise<void> {
    let isOver = false;
    const over = ended.finally(() => {
      isOver = true;
    });
    // The client may leave while changes are read, when nothing else waits for this.
    over.catch(() => {});
    try {
      while (!isOver && !this.isOver) {
        const hasFailed = this.#isStale && !(await this.#trySync());
        if (isOver) break;
        this.tell(true);
        if (!this.#isStale || hasFailed) await this.#changeOr(over, hasFailed ? RETRY_MS : null);
      }
    } finally {
      this.#onChange = null;
    }
    if (this.isOver) throw new ClosedError("The session is over");
    await over;
  }

  /** Reads changes. Returns false when they could not be read. */
  async #trySync(): Promise<boolean> {
    try {
      await this.sync();
      return true;
    } catch (error) {
      this.#log("imap.failed", { error: String(error) });
      return false;
    }
  }

  /** Resolves at a change of the selected folder, after `ms` unless that is null, and when `over` settles. */
  async #changeOr(over: Promise<unknown>, ms: number | null): Promise<void> {
    const changed = new Promise<void>((resolve) => {
      this.#onChange = resolve;
    });
    const first = Promise.race([over, changed]);
    await (ms === null ? first : resultWithin(this.#clock, ms, first));
  }
}
