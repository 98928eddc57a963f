import { runAppend } from "./append.ts";
import type { ByteQueue } from "./byte-queue.ts";
import { capabilitiesOf } from "./capabilities.ts";
import { runFetch } from "./fetch.ts";
import { runFolderChange, runList, runLsub, runQuota, runSelect, runStatus } from "./folders.ts";
import { runIdle } from "./idle.ts";
import { type LoginOptions, runAuthenticate, runLogin } from "./login.ts";
import { expungeMarked, runCopy, runExpunge, runSearch, runStore } from "./messages.ts";
import type { Completion, Handlers, Session } from "./session.ts";

/** The connection, as far as commands need it. */
export interface HandlerOptions extends LoginOptions {
  bytes(): ByteQueue;
  startTls(): void;
}

/** Returns what each command does. */
export function handlersOf(options: HandlerOptions): Handlers {
  return {
    CAPABILITY: async (session) => {
      session.writer.lines([`* CAPABILITY ${capabilitiesOf(session)}`]);
      return { text: "CAPABILITY is complete" };
    },
    NOOP: (session) => runNoop(session, "NOOP"),
    CHECK: (session) => runNoop(session, "CHECK"),
    LOGOUT: async (session) => {
      session.end("Goodbye");
      return { text: "LOGOUT is complete" };
    },
    ID: async (session) => {
      session.writer.lines(["* ID NIL"]);
      return { text: "ID is complete" };
    },
    STARTTLS: async (session) => {
      options.startTls();
      return session.isSecure ? { text: "TLS is in use" } : { text: "Begin TLS now" };
    },
    LOGIN: (session, command) => runLogin(session, command, options),
    AUTHENTICATE: (session, command) => runAuthenticate(session, command, options.bytes(), options),
    ENABLE: async (session, { capabilities }) => {
      const enabled = capabilities.filter((name) => name === "CONDSTORE" || name === "UTF8=ACCEPT");
      if (enabled.includes("CONDSTORE")) session.condstore = true;
      if (enabled.includes("UTF8=ACCEPT")) session.syntax.allowsUtf8 = true;
      session.writer.lines([["* ENABLED", ...enabled].join(" ")]);
      return { text: "ENABLE is complete" };
    },
    NAMESPACE: async (session) => {
      session.writer.lines(['* NAMESPACE (("" "/")) NIL NIL']);
      return { text: "NAMESPACE is complete" };
    },
    SELECT: runSelect,
    EXAMINE: runSelect,
    CREATE: runFolderChange,
    DELETE: runFolderChange,
    RENAME: runFolderChange,
    SUBSCRIBE: runFolderChange,
    UNSUBSCRIBE: runFolderChange,
    LIST: runList,
    LSUB: runLsub,
    STATUS: runStatus,
    GETQUOTA: runQuota,
    GETQUOTAROOT: runQuota,
    APPEND: runAppend,
    IDLE: (session) => runIdle(session, options.bytes()),
    CLOSE: async (session) => {
      if (!session.selected.isReadOnly) await expungeMarked(session, null);
      session.unselect();
      return { text: "CLOSE is complete" };
    },
    UNSELECT: async (session) => {
      session.unselect();
      return { text: "UNSELECT is complete" };
    },
    EXPUNGE: runExpunge,
    SEARCH: runSearch,
    FETCH: runFetch,
    STORE: runStore,
    COPY: runCopy,
    MOVE: runCopy,
  };
}

/** Reads what changed, so that a client that asks learns of every change that was made before (RFC 3501 6.1.2). */
async function runNoop(session: Session, name: string): Promise<Completion> {
  await session.sync();
  return { text: `${name} is complete` };
}
