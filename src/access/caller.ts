import { forbidden } from "../lib/errors.ts";
import type { WorkspaceCtx } from "../platform/context.ts";
import type { Scope } from "./accounts/scopes.ts";

/** The context of an authenticated request. Its mail database is the newest one of the workspace. */
export interface CallerCtx extends WorkspaceCtx {
  actor: Actor;
  /** Read with the session of a page. */
  frame?: PageFrame;
  /** Records for the operation, read in the D1 batch that found the credential. An EarlySlot knows their type. */
  early?: object;
}

/** Shown in the header of each page about the user of a session. */
export interface PageFrame {
  /** Workspaces of the user, oldest membership first. */
  workspaces: readonly { id: string; name: string }[];
  /** Unread notifications of the user in the active workspace. */
  unread: number;
}

/** Puts records of one type into the context of a caller, and gets them from it. */
export class EarlySlot<Records extends object> {
  readonly #known = new WeakSet<object>();

  put(records: Records): Pick<CallerCtx, "early"> {
    this.#known.add(records);
    return { early: records };
  }

  /** Returns the records of a context, or undefined when it has none of this slot. */
  get({ early }: Pick<CallerCtx, "early">): Records | undefined {
    return early && this.#has(early) ? early : undefined;
  }

  #has(records: object): records is Records {
    return this.#known.has(records);
  }
}

/** Throws 403 unless the caller has these scopes. For an operation that needs more than the scope of its route. */
export function requireScopes({ scopes }: Pick<Actor, "scopes">, ...needed: readonly Scope[]): void {
  const missing = needed.find((scope) => !scopes.has(scope));
  if (missing !== undefined) throw forbidden(`Missing scope: ${missing}`);
}

/** Throws 403 for a key that is restricted to domains: it must not change, nor see, what belongs to the whole workspace. */
export function requireAllDomains({ actor }: CallerCtx): void {
  if (actor.domainIds) throw forbidden("This API key is restricted to certain domains");
}

/** A page of a list: at most `limit` rows, after the one that the cursor `after` names. */
export interface ListRange {
  after?: string | undefined;
  limit: number;
}

export type Role = "owner" | "admin" | "member";

/** The authenticated caller. */
export type Actor = ApiKeyActor | SessionActor | OAuthActor | SystemActor | SmtpActor | MailboxActor;

type AnyActor = WorkspaceCtx["actor"] & {
  name: string | null;
  role: Role;
  /** A member that sees only the mailboxes that it is assigned to. False for a mailbox itself, which has its own alone. */
  mailboxesOnly: boolean;
  scopes: ReadonlySet<Scope>;
  /** The credential was granted `*`: every scope that the role has, including scopes added later. */
  grantsAll: boolean;
  /** When the credential expires, in milliseconds since 1970. Null: never, or a session, which can be refreshed. */
  expiresAt: number | null;
  restricted: boolean;
};

export interface ApiKeyActor extends AnyActor {
  kind: "api_key";
  keyPrefix: string;
}

/** A user who signed in. */
export interface SessionActor extends AnyActor {
  kind: "session";
  isPlatformAdmin: boolean;
  /** IANA name of the zone that the user has chosen for the times on pages. Null: that of the browser. */
  timeZone: string | null;
  /** When the access token expires, in milliseconds since 1970. */
  accessExpiresAt: number;
  /** When the user last proved its identity, by the sign-in or again, in milliseconds since 1970. Null: before that was recorded. */
  reauthenticatedAt: number | null;
}

/** A mailbox whose password was used to sign in: it may use its own inbox only. */
export interface MailboxActor extends AnyActor {
  kind: "mailbox";
  mailboxId: string;
}

/** The service itself, which sends emails such as sign-in links. It is never the caller of a request. */
export interface SystemActor extends AnyActor {
  kind: "system";
}

/** Returns the actor of emails that the service sends for an owner of a workspace. `email` is the sender. */
export const systemActor = (credentialId: string, userId: string, email: string): SystemActor => ({
  kind: "system",
  credentialId,
  userId,
  email,
  name: null,
  role: "owner",
  mailboxesOnly: false,
  scopes: new Set(["emails:send"]),
  grantsAll: false,
  domainIds: null,
  expiresAt: null,
  restricted: false,
});

/** A user who submits mail by SMTP with a credential of one domain. It is never the caller of a request to the API. */
export interface SmtpActor extends AnyActor {
  kind: "smtp";
}

/** A client that acts for a user by an access token of an OAuth grant. */
export interface OAuthActor extends AnyActor {
  kind: "oauth";
  clientId: string;
  /** As the client calls itself. */
  clientName: string | null;
}
