import { ANY_ADMIN } from "../../src/identity/sign-ins/operator-sessions/start.ts";
import type { Finding } from "../egress/check/finding.ts";
import { outgoingAddresses } from "../egress/check/outgoing.ts";
import { type CheckOptions, checkEgress } from "../egress/check/run.ts";
import { askAsOperator, type Target } from "../operator.ts";
import type { AdminApi } from "./api.ts";

/** Options of the commands, beside those that say which deployment to use. */
export interface Options {
  /** Most rows that a list prints. */
  limit: number;
  email: string | undefined;
  workspace: string | undefined;
  domain: string | undefined;
  egress: string | undefined;
  /** Refuse keys and sign-ins also. */
  shut: boolean;
}

/** A command of `npm run admin`. */
export type Command = {
  /** The words that name it. */
  name: string;
  /** Names of its arguments. The last one takes several when it ends in `…`. */
  takes: readonly string[];
  summary: string;
} & (
  | {
      /** Calls the API and returns what to print: a list of rows, one row, or null. */
      run: (api: AdminApi, args: readonly string[], options: Options) => Promise<unknown>;
    }
  | {
      /** Asks the service without a session of an administrator, and returns the text to print. */
      ask: (target: Target, options: Options) => Promise<string>;
    }
  | {
      /** Looks at this machine and its DNS, without a service, and returns what was found. */
      check: (options: CheckOptions) => Promise<Finding[]>;
    }
);

interface OutboxRow {
  id: string;
  due_at: string;
}

/** Rows of an outbox in which a row to requeue is looked for. The API lists the soonest due first. */
const SEARCHED_ROWS = 20_000;
/** Rows of one call that requeues (src/operations/admin/operations/requeue-rows.ts). */
const REQUEUED_ROWS = 100;

const at = (args: readonly string[], index = 0) => encodeURIComponent(args[index] ?? "");

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  {
    name: "outbox list",
    takes: ["<database>"],
    summary: "rows of the outbox of a database (main, 0, 1, …), soonest due first",
    run: (api, args, { limit }) => api.list(`/v1/admin/outboxes/${at(args)}`, limit),
  },
  {
    name: "outbox flush",
    takes: [],
    summary: "releases emails that wait after an outage of the egress",
    run: (api) => api.call("POST", "/v1/admin/outbox/flush"),
  },
  {
    name: "outbox requeue",
    takes: ["<database>", "<id>…"],
    summary: "makes rows due now and resets their claims",
    run: (api, [database = "", ...ids]) => requeue(api, database, ids),
  },
  {
    name: "outbox release",
    takes: [],
    summary: "releases what a restored backup holds; it is sent",
    run: releaseAll,
  },
  {
    name: "quarantine list",
    takes: ["<database>"],
    summary: "outbox rows that were set aside, because their work alone failed",
    run: (api, args, { limit }) => api.list(`/v1/admin/quarantines/${at(args)}`, limit),
  },
  {
    name: "quarantine retry",
    takes: ["<database>", "<id>"],
    summary: "tries such a row again",
    run: (api, args) => api.call("POST", `/v1/admin/quarantines/${at(args)}/${at(args, 1)}/retry`),
  },
  {
    name: "quarantine drop",
    takes: ["<database>", "<id>"],
    summary: "deletes such a row; its email is failed",
    run: (api, args) => api.call("DELETE", `/v1/admin/quarantines/${at(args)}/${at(args, 1)}`),
  },
  {
    name: "receivers list",
    takes: [],
    summary: "mail systems that get mail today, first those that have slowed an egress of ours down",
    run: (api) => api.call("GET", "/v1/admin/receivers"),
  },
  {
    name: "egress check",
    takes: [],
    summary: "says what is wrong with the host of an egress; to be run on that host",
    check: async (options) =>
      checkEgress(options, { env: process.env, outgoing: await outgoingAddresses(), now: Date.now() }),
  },
  {
    name: "egress list",
    takes: [],
    summary: "the egresses of the deployment, and why one cannot be used",
    run: (api) => api.call("GET", "/v1/admin/egresses"),
  },
  {
    name: "egress assignments",
    takes: [],
    summary: "workspaces and domains with an egress of their own, and why their mail waits",
    run: (api, _, { limit }) => api.list("/v1/admin/egress-assignments", limit),
  },
  {
    name: "egress assign",
    takes: [],
    summary: "gives --workspace <id> or --domain <name> the egress --egress <name> of NAMED_EGRESS_URLS",
    run: (api, _, { egress, ...target }) => {
      if (egress === undefined) throw new Error("Give --egress <name>; npm run admin -- egress list has the names.");
      return api.call("PUT", egressPath(target), { egress });
    },
  },
  {
    name: "egress remove",
    takes: [],
    summary: "removes the egress of --workspace <id> or --domain <name>",
    run: (api, _, target) => api.call("DELETE", egressPath(target)),
  },
  {
    name: "search reindex",
    takes: ["<database>"],
    summary: "makes the search index of a mail database (0, 1, …) anew",
    run: (api, [database = ""]) => reindex(api, database),
  },
  {
    name: "dead-letters list",
    takes: [],
    summary: "queue messages that failed every retry",
    run: (api, _, { limit }) => api.list("/v1/admin/dead-letters", limit),
  },
  {
    name: "dead-letters replay",
    takes: ["<id>"],
    summary: "sends a dead letter to its queue again",
    run: (api, args) => api.call("POST", `/v1/admin/dead-letters/${at(args)}/replay`),
  },
  {
    name: "dead-letters drop",
    takes: ["<id>"],
    summary: "deletes a dead letter",
    run: (api, args) => api.call("DELETE", `/v1/admin/dead-letters/${at(args)}`),
  },
  {
    name: "workspaces list",
    takes: [],
    summary: "workspaces with their pauses and daily limits",
    run: (api, _, { limit }) => api.list("/v1/admin/workspaces", limit),
  },
  {
    name: "workspaces pause",
    takes: ["<id>"],
    summary:
      "pauses sending; queued emails wait, and the owners cannot resume it; --shut: refuses keys and sign-ins too",
    run: (api, args, { shut }) => api.call("POST", `/v1/admin/workspaces/${at(args)}/${shut ? "shut" : "pause"}`),
  },
  {
    name: "workspaces resume",
    takes: ["<id>"],
    summary: "ends that pause",
    run: (api, args) => api.call("POST", `/v1/admin/workspaces/${at(args)}/resume`),
  },
  {
    name: "workspaces limit",
    takes: ["<id>", "<emails a day>"],
    summary: "limits the emails accepted in a day (UTC); none: no limit, default: that of the deployment",
    run: (api, [id = "", emails = ""]) =>
      api.call("PUT", `/v1/admin/workspaces/${at([id])}/daily-limit`, { daily_limit: toLimit(emails) }),
  },
  {
    name: "workspaces budget",
    takes: ["<id>", "<kind>", "<rows>"],
    summary: "sets how many records of a kind (domains, mailboxes, …) a workspace may have; default: the default",
    run: (api, [id = "", of = "", rows = ""]) =>
      api.call("PUT", `/v1/admin/workspaces/${at([id])}/budgets`, {
        of,
        rows: rows === "default" ? null : Number(rows),
      }),
  },
  {
    name: "users list",
    takes: [],
    summary: "accounts; --email <address> finds one",
    run: (api, _, { limit, email }) => api.list(`/v1/admin/users${email ? `?email=${at([email])}` : ""}`, limit),
  },
  {
    name: "users restrict",
    takes: ["<id or address>"],
    summary: "an account cannot send; its queued emails fail",
    run: async (api, args) => api.call("POST", `/v1/admin/users/${await userId(api, args[0])}/restrict`),
  },
  {
    name: "users unrestrict",
    takes: ["<id or address>"],
    summary: "ends that restriction",
    run: async (api, args) => api.call("POST", `/v1/admin/users/${await userId(api, args[0])}/unrestrict`),
  },
  {
    name: "sign-in-link",
    takes: [],
    summary: "makes a sign-in link of a platform administrator: --email <address>, or the first one",
    ask: makeSignInLink,
  },
  {
    name: "hosts list",
    takes: [],
    summary: "hosts to which tracked links do not redirect",
    run: (api, _, { limit }) => api.list("/v1/admin/blocked-hosts", limit),
  },
  {
    name: "hosts block",
    takes: ["<host>"],
    summary: "blocks a host and its sub-domains as targets of tracked links",
    run: (api, args) => api.call("PUT", `/v1/admin/blocked-hosts/${at(args)}`),
  },
  {
    name: "hosts unblock",
    takes: ["<host>"],
    summary: "ends that block",
    run: (api, args) => api.call("DELETE", `/v1/admin/blocked-hosts/${at(args)}`),
  },
  {
    name: "claims list",
    takes: ["<domain>"],
    summary: "who has verified a domain, or one above it",
    run: (api, args) => api.call("GET", `/v1/admin/domain-claims/${at(args)}`),
  },
  {
    name: "claims end",
    takes: ["<domain>"],
    summary: "ends the verification of a domain, so that its owner can verify it",
    run: (api, args) => api.call("DELETE", `/v1/admin/domain-claims/${at(args)}`),
  },
  {
    name: "audit list",
    takes: [],
    summary: "the audit log of all workspaces, newest first",
    run: (api, _, { limit }) => api.list("/v1/admin/audit", limit),
  },
];

/** Makes a sign-in link of an administrator, also when the service cannot send email. Throws an Error when there is none. */
async function makeSignInLink(target: Target, { email = ANY_ADMIN }: Options): Promise<string> {
  const request = { kind: "operator", subject: email } as const;
  const path = "/auth/operator-sign-in-link";
  const made = await askAsOperator<{ email: string; sign_in_url: string }>(target, path, request);
  return `This link signs ${made.email} in once, within 15 minutes:\n\n${made.sign_in_url}`;
}

/** Returns the path of the egress of a workspace or a domain. Throws an Error unless exactly one of both is given. */
function egressPath({ workspace, domain }: Pick<Options, "workspace" | "domain">): string {
  if ((workspace === undefined) === (domain === undefined))
    throw new Error("Give either --workspace <id> or --domain <name>.");
  const [kind, id] = workspace === undefined ? ["domains", domain] : ["workspaces", workspace];
  return `/v1/admin/${kind}/${at([id ?? ""])}/egress`;
}

/** Returns the limit that a word names. Throws an Error for any other word. */
function toLimit(word: string): number | null {
  if (word === "default") return null;
  if (word === "none") return 0;
  if (!/^[1-9]\d{0,8}$/.test(word)) throw new Error(`${word} is no limit: give a number of emails, none or default.`);
  return Number(word);
}

/** Releases everything that a restored backup holds. */
async function releaseAll(api: AdminApi): Promise<{ released: number }> {
  for (let total = 0; ; ) {
    const { released } = await api.call<{ released: number }>("POST", "/v1/admin/outbox/release");
    if (released === 0) return { released: total };
    total += released;
  }
}

/** Makes a search index anew. Throws an Error for a database that does not exist. */
async function reindex(api: AdminApi, database: string): Promise<{ is_done: true }> {
  const path = `/v1/admin/databases/${at([database])}/reindex`;
  for (let restart = true; ; restart = false)
    if ((await api.call<{ is_done: boolean }>("POST", path, { restart })).is_done) return { is_done: true };
}

/** Requeues the rows with these ids. Throws an Error that names those that the outbox does not have. */
async function requeue(api: AdminApi, database: string, ids: readonly string[]): Promise<{ requeued: number }> {
  const path = `/v1/admin/outboxes/${encodeURIComponent(database)}`;
  const rows = (await api.list<OutboxRow>(path, SEARCHED_ROWS)).filter(({ id }) => ids.includes(id));
  const missing = ids.filter((id) => !rows.some((row) => row.id === id));
  if (missing.length > 0)
    throw new Error(`The first ${SEARCHED_ROWS} rows of the outbox do not have ${missing.join(", ")}.`);
  let requeued = 0;
  for (let from = 0; from < rows.length; from += REQUEUED_ROWS) {
    const some = rows.slice(from, from + REQUEUED_ROWS).map(({ id, due_at }) => ({ id, due_at }));
    requeued += (await api.call<{ requeued: number }>("POST", `${path}/requeue`, { rows: some })).requeued;
  }
  return { requeued };
}

/** Returns the id of an account by its id or address. Throws an Error when there is none with the address. */
async function userId(api: AdminApi, text = ""): Promise<string> {
  if (!text.includes("@")) return encodeURIComponent(text);
  const [user] = await api.list<{ id: string }>(`/v1/admin/users?email=${encodeURIComponent(text)}`, 1);
  if (!user) throw new Error(`No account has the address ${text}.`);
  return user.id;
}
