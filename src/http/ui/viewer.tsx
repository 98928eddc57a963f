import { type Child, createContext, useContext } from "hono/jsx";
import type { Scope } from "../../access/accounts/scopes.ts";
import type { CallerCtx } from "../../access/caller.ts";
import type { Brand } from "../../platform/brands/brand.ts";
import { textsIn } from "../../platform/recipient-texts/index.ts";
import type { Submitted } from "./submitted.ts";

/** Who gets mail and looks at a page about it. */
interface Recipient {
  language: string;
  /** The sender, and the address it writes to. Absent: a link that does not work. */
  brand?: Brand | undefined;
  address?: string | undefined;
  /** Permits the style of the page with the colour of the brand. */
  nonce?: string;
}

/** Who looks at a page, when, and after which request. */
export interface Viewer {
  /** IANA name of the zone in which times are shown. */
  zone: string;
  /** True when the script may show times in the zone of the browser instead: the user has chosen no zone. */
  isAutomatic: boolean;
  /** Ms since 1970. */
  now: number;
  /** Name of the service, for titles of pages without a workspace. */
  service: string;
  /** URL of the service without a final slash. */
  origin: string;
  path: string;
  /** Set for pages that show the sender in place of this service. */
  recipient?: Recipient | undefined;
  caller?: CallerCtx | undefined;
  /** Id of the workspace and path of the page, when its forms act in that workspace. */
  formPage?: string | undefined;
  notice?: Child | undefined;
  /** The link at the end of a page of a list. */
  next?: { to: string; label: string } | undefined;
  submitted?: Submitted | undefined;
}

/** The viewer of the page that is rendered. `respondPage` sets it. */
export const ViewerContext = createContext<Viewer>({
  zone: "UTC",
  isAutomatic: true,
  now: 0,
  service: "",
  origin: "",
  path: "",
});

export const useViewer = (): Viewer => useContext(ViewerContext);

/** Returns the URL of a logo. */
export const logoUrl = ({ origin }: Viewer, logo: string) => `${origin}/i/${logo}`;

/** Returns the texts of a page in the language of its reader: English, unless it is one for recipients. */
export const useTexts = () => textsIn(useViewer().recipient?.language ?? null);

/** Returns the signed-in user of a page of the dashboard. */
export function useCaller(): CallerCtx {
  const { caller } = useViewer();
  if (!caller) throw new Error("This page has no signed-in user");
  return caller;
}

/** Returns whether the role of the signed-in user has a scope. */
export const useScope = (scope: Scope): boolean => useCaller().actor.scopes.has(scope);
