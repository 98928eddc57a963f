import type { Scope } from "../../src/access/accounts/scopes.ts";
import type { PathIds } from "../support/route-tests.ts";
import type { TestWorkspace } from "../support/workspace.ts";

/** A successful call of one route, and the places where a caller could put an id of another workspace. */
export interface RouteCase {
  success: number;
  /** Creates the record of the path, for each call, and returns the path parameters. */
  create?: (workspace: TestWorkspace) => Promise<PathIds>;
  body?: (workspace: TestWorkspace, ids: PathIds) => unknown;
  query?: string;
  /** Request headers beside those of a JSON body. */
  headers?: Record<string, string>;
  /** Places for ids outside the path. An id of another workspace must be treated like an unknown id. */
  places?: Record<string, { of: keyof ForeignIds; body?: (of: TestWorkspace, id: string) => unknown; query?: string }>;
  /** A restriction beyond the scope: owners only, owners and admins, or the creator of the record only. */
  only?: "owners" | "admins" | "maker";
  /** Scopes that the call needs beyond that of the route; `all`: every one that a role has. */
  beyond?: readonly Scope[] | "all";
  /** The record belongs to the user who makes the call, whatever the credential. */
  isPerUser?: true;
  /** Every id of the right form is one of the workspace: a person is any address. */
  takesAnyId?: true;
  /** The contract gives another workspace's id this response, and not that of an unknown one: an account may have got the id by mistake. */
  foreignId?: string;
  /** The call reaches records of all workspaces. */
  crossesWorkspaces?: true;
  /** Each call is in a new workspace: it deletes its workspace, or the shared one has what its limit admits. */
  inNewWorkspace?: true;
}

/** Ids of records of another workspace. */
export interface ForeignIds {
  domain: string;
  mailbox: string;
  user: string;
  email: string;
  list: string;
  contact: string;
  segment: string;
  variant: string;
  workspace: string;
}
