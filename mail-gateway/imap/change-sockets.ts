import type { Clock } from "../clock.ts";
import type { MailboxAccess } from "../open-accesses.ts";
import { ChangeSocket } from "./change-socket.ts";
import type { ChangeListener } from "./mailbox.ts";

interface ChangeSocketsOptions {
  clock: Clock;
  /** Opens a socket by an access that has not ended. */
  open(access: MailboxAccess): WebSocket;
  /** An access to the mailbox may have ended. */
  onAccess(mailboxId: string): void;
}

interface SharedSocket {
  socket: ChangeSocket;
  readers: Map<ChangeListener, MailboxAccess>;
}

/** Shares one socket of changes among all clients of a mailbox, since its object has few sockets for gateways. */
export class ChangeSockets {
  readonly #options: ChangeSocketsOptions;
  readonly #shared = new Map<string, SharedSocket>();

  constructor(options: ChangeSocketsOptions) {
    this.#options = options;
  }

  /** Tells a client of an access the changes of its mailbox until the returned function is called. */
  join(access: MailboxAccess, onChange: ChangeListener): () => void {
    const shared = this.#shared.get(access.id) ?? this.#share(access);
    shared.readers.set(onChange, access);
    return () => {
      shared.readers.delete(onChange);
      if (shared.readers.size > 0 || this.#shared.get(access.id) !== shared) return;
      this.#shared.delete(access.id);
      shared.socket.close();
    };
  }

  #share(first: MailboxAccess): SharedSocket {
    const readers: SharedSocket["readers"] = new Map();
    const { clock, open, onAccess } = this.#options;
    const socket = new ChangeSocket({
      clock,
      // The clients of an access that has ended leave.
      open: () => open([...readers.values()].at(-1) ?? first),
      onChange: (folders) => {
        for (const onChange of readers.keys()) onChange(folders);
      },
      onAccess: () => onAccess(first.id),
    });
    const shared = { socket, readers };
    this.#shared.set(first.id, shared);
    return shared;
  }
}
