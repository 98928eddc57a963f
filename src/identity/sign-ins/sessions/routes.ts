import * as z from "zod";
import { invalidSession } from "../../../access/sessions/authenticate.ts";
import { listSessions } from "../../../access/sessions/queries.ts";
import { refreshSession } from "../../../access/sessions/refresh.ts";
import { revokeSession, revokeSessions, signOut } from "../../../access/sessions/revoke.ts";
import { switchWorkspace } from "../../../access/sessions/switch-workspace.ts";
import { apiRoutes, outlives } from "../../../http/api-routes.ts";
import { deleteCookies, readCookie, setSessionCookies, setTokenCookie } from "../../../http/cookies.ts";
import { isForm, readFields } from "../../../http/fields.ts";
import { fieldsBody } from "../../../http/openapi.ts";
import { anyCursorQuery, respondList } from "../../../http/pagination.ts";
import { refuseCrossSite } from "../../../http/same-origin.ts";
import { iso } from "../../../lib/time.ts";
import { returnPath } from "../rules.ts";
import { AccessOut, SessionOut, toSession, WorkspaceSwitch } from "./schema.ts";

/** The switch of a form may lead to another page than the start. */
const FormSwitch = WorkspaceSwitch.extend({ next: z.string().optional() });

export const sessionRoutes = apiRoutes("Sessions")
  .post("/auth/refresh", "refreshSession", "public", outlives.nothing, {
    summary: "Refresh a session",
    description:
      "Uses the refresh token in the cookie and sets new cookies. A use within 30 seconds of the first one sets the same " +
      "refresh token; a later one ends the session.",
    returns: { 200: ["New cookies are set", AccessOut] },
    errors: [403],
    run: async (_caller, _input, c) => {
      refuseCrossSite(c);
      const token = readCookie(c, "refresh");
      const tokens = token === undefined ? null : await refreshSession(c.get("ctx"), token);
      if (!tokens) {
        deleteCookies(c, "session", "refresh");
        throw invalidSession();
      }
      setSessionCookies(c, tokens);
      return { expires_at: iso(tokens.accessExpiresAt) };
    },
  })
  .post("/auth/logout", "endSession", "public", outlives.nothing, {
    summary: "Sign out",
    description: "Ends the session of the cookie and deletes the cookies. Without a session it does nothing.",
    returns: { 204: "Signed out" },
    errors: [403],
    run: async (_caller, _input, c) => {
      refuseCrossSite(c);
      await signOut(c.get("ctx"), readCookie(c, "session"), readCookie(c, "refresh"));
      deleteCookies(c, "session", "refresh");
      return isForm(c) ? c.redirect("/auth/sign-in", 303) : c.body(null, 204);
    },
  })
  .post("/auth/workspace", "switchWorkspace", "session", outlives.nothing, {
    summary: "Make another workspace the active one",
    requestBody: fieldsBody(WorkspaceSwitch),
    once: false,
    returns: { 200: ["The session now acts in this workspace", AccessOut] },
    errors: [404, 413, 415],
    run: async (caller, _input, c) => {
      const { org_id, next } = await readFields(c, FormSwitch);
      const access = await switchWorkspace(caller, org_id);
      setTokenCookie(c, "session", access.token, access.expiresAt);
      return isForm(c) ? c.redirect(returnPath(next), 303) : c.json({ expires_at: iso(access.expiresAt) });
    },
  })
  .get("/v1/sessions/", "listSessions", "session", {
    summary: "List your sessions, newest first",
    query: z.object(anyCursorQuery),
    returns: { 200: ["A page of sessions that have not ended", z.array(SessionOut)] },
    run: (caller, { query }, c) =>
      respondList(c, query, {
        read: (_, page) => listSessions(caller, page),
        after: ({ id }) => id,
        serialize: (row) => toSession(row, caller.actor),
      }),
  })
  .delete("/v1/sessions/", "endSessions", "session", outlives.nothing, {
    summary: "Sign out everywhere: end all your sessions, this one included",
    description: "Takes effect with their next requests. API keys, connected programs and passwords of mailboxes stay.",
    returns: { 204: "Ended" },
    run: async (caller, _input, c) => {
      await revokeSessions(caller);
      deleteCookies(c, "session", "refresh");
    },
  })
  .delete("/v1/sessions/:session_id", "revokeSession", "session", outlives.nothing, {
    summary: "End one of your sessions",
    description: "Takes effect with its next request.",
    returns: { 204: "Ended" },
    run: (caller, { session_id }) => revokeSession(caller, session_id),
  });
