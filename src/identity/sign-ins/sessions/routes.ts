import * as z from "zod";
import type { CallerCtx, SessionActor } from "../../../access/caller.ts";
import { invalidSession } from "../../../access/sessions/authenticate.ts";
import { listSessions } from "../../../access/sessions/queries.ts";
import { refreshSession } from "../../../access/sessions/refresh.ts";
import { revokeSession, signOut } from "../../../access/sessions/revoke.ts";
import { switchWorkspace } from "../../../access/sessions/switch-workspace.ts";
import { deleteCookies, readCookie, setSessionCookies, setTokenCookie } from "../../../http/cookies.ts";
import { type AppContext, newRoutes } from "../../../http/env.ts";
import { isForm, readFields } from "../../../http/fields.ts";
import { noContent } from "../../../http/no-content.ts";
import { fieldsBody, operationsOf, responses } from "../../../http/openapi.ts";
import { anyCursorQuery, respondList } from "../../../http/pagination.ts";
import { refuseCrossSite } from "../../../http/same-origin.ts";
import { query } from "../../../http/validate.ts";
import { iso } from "../../../lib/time.ts";
import { returnPath } from "../rules.ts";
import { AccessOut, SessionOut, toSession, WorkspaceSwitch } from "./schema.ts";

/** The switch of a form may lead to another page than the start. */
const FormSwitch = WorkspaceSwitch.extend({ next: z.string().optional() });

/** Returns the caller of a route that takes a session only. */
function sessionCaller(c: AppContext): CallerCtx & { actor: SessionActor } {
  const caller = c.get("caller");
  if (caller.actor.kind !== "session") throw invalidSession();
  return { ...caller, actor: caller.actor };
}

const operation = operationsOf("Sessions");

export const sessionRoutes = newRoutes()
  .post(
    "/auth/refresh",
    operation("public", "refreshSession", {
      summary: "Refresh a session",
      description:
        "Uses the refresh token in the cookie and sets new cookies. A use within 30 seconds of the first one sets the same " +
        "refresh token; a later one ends the session.",
      responses: responses(200, "New cookies are set", AccessOut, [403]),
    }),
    async (c) => {
      refuseCrossSite(c);
      const token = readCookie(c, "refresh");
      const tokens = token === undefined ? null : await refreshSession(c.get("ctx"), token);
      if (!tokens) {
        deleteCookies(c, "session", "refresh");
        throw invalidSession();
      }
      setSessionCookies(c, tokens);
      return c.json({ expires_at: iso(tokens.accessExpiresAt) });
    },
  )
  .post(
    "/auth/logout",
    operation("public", "endSession", {
      summary: "Sign out",
      description: "Ends the session of the cookie and deletes the cookies. Without a session it does nothing.",
      responses: responses(204, "Signed out", null, [403]),
    }),
    async (c) => {
      refuseCrossSite(c);
      await signOut(c.get("ctx"), readCookie(c, "session"), readCookie(c, "refresh"));
      deleteCookies(c, "session", "refresh");
      return isForm(c) ? c.redirect("/auth/sign-in", 303) : c.body(null, 204);
    },
  )
  .post(
    "/auth/workspace",
    operation("session", "switchWorkspace", {
      summary: "Make another workspace the active one",
      requestBody: fieldsBody(WorkspaceSwitch),
      responses: responses(200, "The session now acts in this workspace", AccessOut, [403, 404, 413, 415]),
    }),
    async (c) => {
      const { org_id, next } = await readFields(c, FormSwitch);
      const access = await switchWorkspace(sessionCaller(c), org_id);
      setTokenCookie(c, "session", access.token, access.expiresAt);
      return isForm(c) ? c.redirect(returnPath(next), 303) : c.json({ expires_at: iso(access.expiresAt) });
    },
  )
  .get(
    "/v1/sessions/",
    operation("session", "listSessions", {
      summary: "List your sessions, newest first",
      responses: responses(200, "A page of sessions that have not ended", z.array(SessionOut), [403]),
    }),
    query(z.object(anyCursorQuery)),
    (c) => {
      const caller = sessionCaller(c);
      return respondList(c, {
        read: (_, page) => listSessions(caller, page),
        after: ({ id }) => id,
        serialize: (row) => toSession(row, caller.actor),
      });
    },
  )
  .delete(
    "/v1/sessions/:session_id",
    operation("session", "revokeSession", {
      summary: "End one of your sessions",
      description: "Takes effect with its next request.",
      responses: responses(204, "Ended", null, [403, 404]),
    }),
    (c) => noContent(c, revokeSession(sessionCaller(c), c.req.param("session_id"))),
  );
