import { createContext, useContext } from "hono/jsx";

/** Who looks at a page, and when. */
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
  /** Id of the workspace and path of the page, when its forms act in that workspace. */
  formPage?: string | undefined;
}

/** The viewer of the page that is rendered. `respondPage` sets it. */
export const ViewerContext = createContext<Viewer>({ zone: "UTC", isAutomatic: true, now: 0, service: "", origin: "" });

export const useViewer = (): Viewer => useContext(ViewerContext);
