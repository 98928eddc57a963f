import type { Clock } from "../clock.ts";
import { ChangeSocket } from "./change-socket.ts";

/** The part of an access that its mailbox's socket needs. */
export interface ChangeReader {
  /** The token of calls, as it is now. */
  token(): string;
  /** Null: any folder may have changed. */
  onChange(folders: readonly string[] | null): void;
  /** The access may have ended. */
  onAccess(): void;
}

interface SharedSocket {
  socket: ChangeSocket;
  readers: Set<ChangeReader>;
}

/** Shares one socket of changes among all accesses to a mailbox, since its object has few sockets for gateways. */
export class ChangeSockets {
  readonly #open: (token: string) => WebSocket;
  readonly #clock: Clock;
  readonly #shared = new Map<string, SharedSocket>();

  constructor(open: (token: string) => WebSocket, clock: Clock) {
    this.#open = open;
    this.#clock = clock;
  }

  /** Tells a reader changes of a mailbox until the returned function is called. */
  join(mailboxId: string, reader: ChangeReader): () => void {
    const shared = this.#shared.get(mailboxId) ?? this.#share(mailboxId, reader);
    shared.readers.add(reader);
    return () => {
      shared.readers.delete(reader);
      if (shared.readers.size > 0 || this.#shared.get(mailboxId) !== shared) return;
      this.#shared.delete(mailboxId);
      shared.socket.close();
    };
  }

  #share(mailboxId: string, first: ChangeReader): SharedSocket {
    const readers = new Set([first]);
    const socket = new ChangeSocket({
      clock: this.#clock,
      // Of an access that has not ended: those that end leave.
      open: () => this.#open([...readers].at(-1)?.token() ?? ""),
      onChange: (folders) => {
        for (const reader of readers) reader.onChange(folders);
      },
      onAccess: () => {
        for (const reader of readers) reader.onAccess();
      },
    });
    const shared = { socket, readers };
    this.#shared.set(mailboxId, shared);
    return shared;
  }
}
