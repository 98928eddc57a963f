import { getCookie } from "hono/cookie";
import { firstZone } from "../lib/local-time.ts";
import { preferredLanguage } from "../platform/recipient-texts/index.ts";
import { serviceNameOf } from "../platform/settings/variables.ts";
import type { AppContext } from "./env.ts";
import type { Viewer } from "./ui/index.ts";

/** Pages of people who get mail: they show the sender, and nothing of this service. */
const OF_RECIPIENTS = /^\/(?:u|c|f|w|t\/c)\//;

/** Returns the zone that the user has chosen, else that of the browser (cookie `tz`), else that of the address, else UTC. */
export function viewerOf(c: AppContext): Viewer {
  const actor = c.get("caller")?.actor;
  const chosen = actor?.kind === "session" ? actor.timeZone : null;
  const ctx = c.get("ctx");
  // Not from the parsed settings: with malformed ones, the page that says so still responds.
  const origin = String(c.env.PUBLIC_URL).replace(/\/+$/, "");
  const [fields, refusal] = [c.get("form"), c.get("refusal")];
  const method = c.req.method === "POST" ? "post" : "get";
  return {
    zone: firstZone(chosen, getCookie(c, "tz"), c.req.raw.cf?.timezone),
    isAutomatic: chosen === null,
    now: ctx.now(),
    service: serviceNameOf(c.env),
    origin,
    path: c.req.path,
    recipient: OF_RECIPIENTS.test(c.req.path)
      ? { language: preferredLanguage(c.req.header("Accept-Language") ?? "") }
      : undefined,
    caller: c.get("caller"),
    formPage: c.get("formPage"),
    submitted: fields || refusal ? { method, fields, refusal, isSaid: false } : undefined,
  };
}
