import { createHmac, randomBytes } from "node:crypto";
import type { Clock } from "../clock.ts";
import { GroupedCalls } from "../grouped-calls.ts";
import type { MailboxAccess, OpenAccesses } from "../open-accesses.ts";
import type { WorkerClient } from "../worker-client.ts";
import { ChangeSockets } from "./change-sockets.ts";
import { CommandError, unavailable } from "./command-error.ts";
import { callWorker, toHeader, WorkerMailbox } from "./worker-mailbox.ts";

/** Equal logins that share a call. */
const MAX_LOGINS = 256;

/** The WebSocket of Node takes headers, which the standard's does not. */
const SocketWithHeaders = WebSocket as unknown as new (
  url: string,
  init: { headers: Record<string, string> },
) => WebSocket;

interface Login {
  username: string;
  password: string;
  ip: string;
}

/**
 * Opens the mailboxes of clients by the Worker. Each login asks it, equal ones together in a call that begins after each of them. The clients
 * of a mailbox share the socket that tells what changed.
 */
export class WorkerMailboxes {
  readonly #worker: WorkerClient;
  readonly #accesses: OpenAccesses;
  readonly #sockets: ChangeSockets;
  readonly #logins: GroupedCalls<Login, MailboxAccess>;
  readonly #key = randomBytes(32);

  constructor(worker: WorkerClient, accesses: OpenAccesses, clock: Clock) {
    this.#worker = worker;
    this.#accesses = accesses;
    this.#sockets = new ChangeSockets({
      clock,
      open: (access) =>
        new SocketWithHeaders(worker.socketUrl("imap/changes"), {
          headers: { ...worker.authorization, "X-Access": toHeader(access) },
        }),
      onAccess: (mailboxId) => accesses.ask(mailboxId),
    });
    this.#logins = new GroupedCalls({
      clock,
      call: async (logins) => {
        const [login = { username: "", password: "", ip: "" }] = logins;
        const response = await openAccess(worker, login).then(
          (value) => ({ value }),
          (error: unknown) => ({ error }),
        );
        return logins.map(() => response);
      },
      maxItems: MAX_LOGINS,
      maxBytes: Number.POSITIVE_INFINITY,
      bytesOf: () => 0,
    });
  }

  /** Throws CommandError for a wrong address or password. */
  async logIn({ username, password, ip }: Login): Promise<WorkerMailbox> {
    const key = createHmac("sha256", this.#key)
      .update(JSON.stringify([username, password]))
      .digest("base64");
    const access = await this.#logins.send(key, { username, password, ip });
    return new WorkerMailbox(this.#worker, access, ({ onChange, onEnd }) => {
      const leaveSocket = this.#sockets.join(access, onChange);
      const leave = this.#accesses.add(access, onEnd);
      return () => {
        leaveSocket();
        leave();
      };
    });
  }
}

async function openAccess(worker: WorkerClient, login: Login): Promise<MailboxAccess> {
  const wrong = new CommandError("The address or the password is wrong", "AUTHENTICATIONFAILED");
  const { access } = await callWorker<{ access?: MailboxAccess }>(worker, "sessions", login, wrong);
  // A Worker of an earlier version responds with a token.
  if (!access) throw unavailable();
  return access;
}
