import type { Page } from "playwright-core";

/** Who opens a page: a visitor without a session, the owner of the seeded workspace, that of an empty one, or an administrator of the platform. */
export type Viewer = "visitor" | "owner" | "newcomer" | "administrator";

/** A state of a page, in which it is looked at. */
export interface State {
  /** Default: visitor, below /app and /mail owner, and below /app/admin administrator. */
  as?: Viewer;
  /** The parameters of the path, by name, that are another one of the seeded ids than the first: `{ email_id: "bounced" }`. */
  ids?: Readonly<Record<string, string>>;
  /** With its question mark. */
  query?: string;
  /** True when the response is an error, which the page explains. */
  isRefused?: boolean;
  /** Brings the page into its state. */
  act?(page: Page): Promise<unknown>;
}

/** The states of each page by route and by name. */
export type Pages = Readonly<Record<string, Readonly<Record<string, State>>>>;

/** The one state of a page that looks the same in each. */
export const SEEDED = { seeded: {} };
