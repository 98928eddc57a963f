import { useScope } from "../../../http/ui/index.ts";

/** Returns whether the user of the page may change broadcasts, or send them. */
export const may = (what: "manage" | "send") => useScope(`broadcasts:${what}`);
