import type { Command } from "../../src/mail/imap/commands.ts";

/** The states of a session (RFC 3501 3). */
export type SessionState = "not-authenticated" | "authenticated" | "selected";

const ALWAYS: readonly SessionState[] = ["not-authenticated", "authenticated", "selected"];
const BEFORE_LOGIN: readonly SessionState[] = ["not-authenticated"];
const AFTER_LOGIN: readonly SessionState[] = ["authenticated", "selected"];
const IN_FOLDER: readonly SessionState[] = ["selected"];

/** The states in which each command is allowed. */
export const commandStates: Readonly<Record<Command["name"], readonly SessionState[]>> = {
  CAPABILITY: ALWAYS,
  NOOP: ALWAYS,
  LOGOUT: ALWAYS,
  ID: ALWAYS,
  STARTTLS: BEFORE_LOGIN,
  LOGIN: BEFORE_LOGIN,
  AUTHENTICATE: BEFORE_LOGIN,
  ENABLE: AFTER_LOGIN,
  SELECT: AFTER_LOGIN,
  EXAMINE: AFTER_LOGIN,
  CREATE: AFTER_LOGIN,
  DELETE: AFTER_LOGIN,
  RENAME: AFTER_LOGIN,
  SUBSCRIBE: AFTER_LOGIN,
  UNSUBSCRIBE: AFTER_LOGIN,
  LIST: AFTER_LOGIN,
  LSUB: AFTER_LOGIN,
  NAMESPACE: AFTER_LOGIN,
  STATUS: AFTER_LOGIN,
  APPEND: AFTER_LOGIN,
  GETQUOTA: AFTER_LOGIN,
  GETQUOTAROOT: AFTER_LOGIN,
  IDLE: AFTER_LOGIN,
  CHECK: IN_FOLDER,
  CLOSE: IN_FOLDER,
  UNSELECT: IN_FOLDER,
  EXPUNGE: IN_FOLDER,
  SEARCH: IN_FOLDER,
  FETCH: IN_FOLDER,
  STORE: IN_FOLDER,
  COPY: IN_FOLDER,
  MOVE: IN_FOLDER,
};

/** Commands whose responses have numbers of messages (RFC 3501 7.4.1). Those of SELECT and EXAMINE have just numbered them. */
const KEEP_NUMBERS: readonly Command["name"][] = ["SELECT", "EXAMINE", "FETCH", "STORE", "SEARCH"];

/**
 * Returns whether the response to a command may renumber messages. One by UID may not either, although RFC 3501 7.4.1 allows it: Thunderbird
 * overlooks an EXPUNGE in a UID FETCH, and shows the message until the folder changes again.
 */
export function tellsExpunges(command: Command): boolean {
  return !KEEP_NUMBERS.includes(command.name);
}
