import type { SMTPServerDataStream, SMTPServerOptions, SMTPServerSession } from "smtp-server";
import type { Clock } from "./clock.ts";
import type { GatewayLimits } from "./config.ts";
import { Refusal } from "./errors.ts";
import { GroupedCalls } from "./grouped-calls.ts";
import { Leases } from "./leases.ts";
import { log } from "./log.ts";
import { type AcceptedLogin, Logins } from "./logins.ts";
import type { MailboxAccess, OpenAccesses } from "./open-accesses.ts";
import { readData } from "./read-data.ts";
import { requireRecipient } from "./require-recipient.ts";
import { SenderChecks } from "./sender-checks.ts";
import { endConnection, isOpen } from "./strict-server.ts";
import { SubmissionGroups } from "./submission-groups.ts";
import type { Upload, WorkerClient, WorkerResponse } from "./worker-client.ts";

/** A client that has logged in. */
interface Submitter {
  login: AcceptedLogin;
  /** Number of messages whose responses the client has received, or is about to. */
  accepted: number;
  /** Keys of messages whose responses the client has received, since another message followed. The Worker deletes them. */
  received: string[];
  /** Key of the last message, whose response the client has received when it says QUIT, or ends the connection after it. */
  last: string | null;
}

/** The login of a client: `authzid` is the identity that it asks to act as (RFC 4616 2). */
interface GivenLogin {
  username: string;
  password: string;
  authzid: string;
}

/** Ends each message for the Worker, which refuses one that was cut off. */
const END = Buffer.from("\0end");
/** Messages up to this size are sent to the Worker in one piece, with others of their credential. Larger ones go to R2. */
const SMALL_BYTES = 15 * 1024;
/** Keys of a connection in one call, connections in it, and bytes of their JSON: the Worker reads 16,384. */
const KEYS = 100;
const CONFIRMATIONS = 64;
const CONFIRMATION_BYTES = 16_000;

/** Responses that the client of a connection has received. */
interface Confirmation {
  token: string;
  connection: string;
  keys: string[];
}

const userOf = (session: SMTPServerSession) => session.user as Submitter | undefined;

/** Returns what a server for mail of customers does: AUTH after TLS, senders and messages as the Worker decides. */
export class Submission {
  readonly #worker: WorkerClient;
  readonly #limits: GatewayLimits;
  readonly #clock: Clock;
  readonly #failures = new WeakMap<SMTPServerSession, number>();
  readonly #logins: Logins;
  readonly #senders: SenderChecks;
  readonly #groups: SubmissionGroups;
  readonly #confirmations: GroupedCalls<Confirmation, void>;
  readonly #accesses: OpenAccesses;
  /** Ends the wait for the end of a connection's access. */
  readonly #leaves = new WeakMap<SMTPServerSession, () => void>();

  constructor(worker: WorkerClient, accesses: OpenAccesses, limits: GatewayLimits, clock: Clock) {
    this.#clock = clock;
    this.#worker = worker;
    this.#accesses = accesses;
    this.#limits = limits;
    const leases = new Leases(clock);
    this.#logins = new Logins(worker, leases, clock);
    this.#senders = new SenderChecks(worker, leases, clock);
    this.#groups = new SubmissionGroups(worker, leases, clock);
    this.#confirmations = new GroupedCalls({
      clock,
      async call(confirmations) {
        const response = await worker.call("confirmations", { confirmations }).then(
          () => ({ value: undefined }),
          (error: unknown) => ({ error }),
        );
        return confirmations.map(() => response);
      },
      maxItems: CONFIRMATIONS,
      maxBytes: CONFIRMATION_BYTES,
      bytesOf: (confirmation) => Buffer.byteLength(JSON.stringify(confirmation)) + 1,
    });
  }

  /** Handlers of smtp-server. */
  readonly handlers: Pick<SMTPServerOptions, "onAuth" | "onMailFrom" | "onRcptTo" | "onData"> = {
    onAuth: ({ username, password, authzid }, session, done) => {
      const given = { username: username ?? "", password: password ?? "", authzid: authzid ?? "" };
      this.#login(session, given).then((user) => done(null, { user }), done);
    },
    onMailFrom: (address, session, done) => {
      this.#checkSender(session, address.address).then(() => done(), done);
    },
    onRcptTo: ({ address }, _session, done) => {
      try {
        requireRecipient(address);
        done();
      } catch (error) {
        done(error as Error);
      }
    },
    onData: (stream, session, done) => {
      this.#submit(stream, session).then((text) => done(null, text), done);
    },
  };

  async #login(session: SMTPServerSession, { username, password, authzid }: GivenLogin): Promise<Submitter> {
    try {
      const ip = session.remoteAddress;
      // A credential acts as itself only (RFC 4616 2).
      if (authzid !== "" && authzid.toLowerCase() !== username.toLowerCase())
        throw new Refusal("535 5.7.8 The authorization identity must be empty or the username");
      const login = await this.#logins.check({ username, password, ip, connection: session.id });
      log("login", { connection: session.id, ip, username });
      if (login.access) this.#closeAtEnd(session, login.access);
      return { login, accepted: 0, received: [], last: null };
    } catch (error) {
      const failures = (this.#failures.get(session) ?? 0) + 1;
      this.#failures.set(session, failures);
      log("login.refused", { connection: session.id, ip: session.remoteAddress, failures });
      // smtp-server closes the connection after the number 421.
      if (failures >= this.#limits.failedLogins)
        throw Object.assign(new Error("Too many failed logins"), { responseCode: 421 });
      throw error;
    }
  }

  /** Closes a connection when the access to its mailbox has ended. */
  #closeAtEnd(session: SMTPServerSession, access: MailboxAccess): void {
    const leave = this.#accesses.add(access, () => endConnection(session, "The access to this mailbox has ended"));
    // The client may have gone while it logged in.
    if (isOpen(session)) this.#leaves.set(session, leave);
    else leave();
  }

  async #checkSender(session: SMTPServerSession, address: string): Promise<void> {
    const user = userOf(session);
    if (!session.secure) throw new Refusal("530 5.7.0 Must issue a STARTTLS command first");
    if (!user) throw new Refusal("530 5.7.0 Authentication required");
    await this.#senders.check(user.login, address);
  }

  async #submit(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string> {
    const user = userOf(session);
    if (!user) throw new Refusal("530 5.7.0 Authentication required");
    const { mailFrom, rcptTo } = session.envelope;
    const envelope = { from: mailFrom ? mailFrom.address : "", to: rcptTo.map(({ address }) => address) };
    const { login, accepted: sequence } = user;
    const connection = session.id;
    const headers = {
      "X-Session": login.token,
      "X-Connection": connection,
      "X-Sequence": String(sequence),
      "X-Envelope": Buffer.from(JSON.stringify(envelope)).toString("base64"),
    };
    const target = new MessageUpload({
      open: () => this.#worker.upload("submissions", headers, null),
      sendSmall: (bytes) => this.#groups.send({ login, connection, sequence, envelope, bytes }),
    });
    await readData(stream, target, { ...this.#limits, clock: this.#clock }, session);
    const { id, repeat } = await target.finish();
    user.accepted += 1;
    log("accepted", { connection, id, recipients: envelope.to.length, octets: target.size });
    if (user.last !== null) user.received.push(user.last);
    user.last = typeof repeat === "string" ? repeat : null;
    if (user.received.length >= KEYS) this.#confirmReceived(user, connection);
    return `Queued as ${id}`;
  }

  /** Tells the Worker that the client has received the responses to all of its messages. */
  readonly onQuit = async (session: SMTPServerSession): Promise<void> => {
    const user = userOf(session);
    if (!user) return;
    const keys = [...user.received.splice(0), ...(user.last === null ? [] : [user.last])];
    user.last = null;
    await this.#confirm(user, session.id, keys);
  };

  /** Returns the same for a client that ends its connection without QUIT after the last response, as many programs do. */
  readonly onEnd = (session: SMTPServerSession): (() => void) | null => {
    if (!userOf(session)?.last) return null;
    return () => void this.onQuit(session).catch(() => {});
  };

  /** Tells the Worker of a connection that ended in any other way: the response to the last message may be lost, no other. */
  readonly onClose = (session: SMTPServerSession): void => {
    this.#leaves.get(session)?.();
    const user = userOf(session);
    if (user) this.#confirmReceived(user, session.id);
  };

  /** Confirms what is surely received. A key of the last message stays: that may equal an earlier one. */
  #confirmReceived(user: Submitter, connection: string): void {
    const keys = user.received.splice(0).filter((key) => key !== user.last);
    void this.#confirm(user, connection, keys).catch(() => {});
  }

  async #confirm({ login: { token, credential } }: Submitter, connection: string, keys: string[]): Promise<void> {
    for (let at = 0; at < keys.length; at += KEYS)
      await this.#confirmations.send(credential, { token, connection, keys: keys.slice(at, at + KEYS) });
  }
}

/** Sends a message to the Worker: a small one when it is complete, a large one while it arrives. */
class MessageUpload {
  readonly #ways: { open(): Upload; sendSmall(bytes: Buffer): Promise<WorkerResponse> };
  #buffered: Uint8Array[] = [];
  #upload: Upload | null = null;
  size = 0;

  constructor(ways: { open(): Upload; sendSmall(bytes: Buffer): Promise<WorkerResponse> }) {
    this.#ways = ways;
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.size += bytes.length;
    if (this.#upload) return this.#upload.write(bytes);
    this.#buffered.push(bytes);
    if (this.size <= SMALL_BYTES) return;
    this.#upload = this.#ways.open();
    for (const piece of this.#buffered.splice(0)) await this.#upload.write(piece);
  }

  abort(): void {
    this.#upload?.abort();
  }

  async finish(): Promise<WorkerResponse> {
    if (this.#upload === null) return this.#ways.sendSmall(Buffer.concat([...this.#buffered, END]));
    await this.#upload.write(END);
    return this.#upload.finish();
  }
}
