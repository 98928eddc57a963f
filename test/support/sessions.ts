import { exports } from "cloudflare:workers";
import { decodeJwt } from "jose";
import { newSession } from "../../src/access/sessions/start.ts";
import { FORM_PAGE } from "../../src/http/ui/index.ts";
import type { Ctx } from "../../src/platform/context.ts";
import type { SignInMethod } from "../../src/platform/db/schema/main/index.ts";
import { database } from "./databases.ts";
import { apiWith, type TestWorkspace, testContext } from "./workspace.ts";

const ORIGIN = "http://api.test";

/** Starts a session of a user in a workspace and returns it with functions that call the API with its cookies. */
export async function aSession(
  { userId, workspaceId }: Pick<TestWorkspace, "userId" | "workspaceId">,
  { ctx = testContext(), method = "magic_link" }: { ctx?: Ctx; method?: SignInMethod } = {},
) {
  const session = await newSession(ctx, {
    userId,
    workspaceId,
    method,
    client: { ip: "192.0.2.7", userAgent: "A browser" },
  });
  await ctx.db.batch(session.statements);
  const { accessToken, refreshToken } = session.tokens;
  return { ...session, ...apiWithCookies({ session: accessToken, refresh: refreshToken }) };
}

/** Makes the last proof of identity of a user's sessions older than the five minutes for which it counts. */
export const outdateProof = ({ userId }: Pick<TestWorkspace, "userId">) =>
  database.run("UPDATE sessions SET reauthenticated_at = ?2 WHERE user_id = ?1", [userId, Date.now() - 301_000]);

/**
 * Returns functions that call the Worker as a page of its own origin does, with these cookies. A form below /app says for which
 * workspace it is, as those of pages do, unless it says so itself.
 */
export function apiWithCookies(cookies: Record<string, string>) {
  const cookie = Object.entries(cookies).map(([name, value]) => `${name}=${value}`);
  return apiWith(null, async (request) => {
    const headers = new Headers(request.headers);
    headers.set("Cookie", cookie.join("; "));
    if (!headers.has("Origin")) headers.set("Origin", ORIGIN);
    const body = await ofPage(request, cookies.session);
    return exports.default.fetch(new Request(request, { headers, ...(body ? { body } : {}) }));
  });
}

/** Returns the body of a form with the field that says on which page it stands, which is one of the workspace of the session. */
async function ofPage(request: Request, session: string | undefined): Promise<Blob | null> {
  const page = formPageOf(new URL(request.url).pathname, session);
  if (request.method !== "POST" || page === null) return null;
  const body = await request.blob();
  if ((await body.slice(0, 1_000).text()).includes(FORM_PAGE)) return body;
  const [, boundary] = /^multipart\/form-data; *boundary=(\S+)$/.exec(request.headers.get("Content-Type") ?? "") ?? [];
  const part = `--${boundary}\r\nContent-Disposition: form-data; name="${FORM_PAGE}"\r\n\r\n${page}\r\n`;
  return new Blob([boundary ? part : `${new URLSearchParams({ [FORM_PAGE]: page })}&`, body]);
}

/** Returns what a form to this path says about its page, which is one of the workspace of the session; null when it says nothing. */
export function formPageOf(path: string, session: string | undefined): string | null {
  const isOfWorkspace = path.startsWith("/app/") || path.startsWith("/docs/try/");
  return isOfWorkspace && session?.split(".").length === 3 ? `${decodeJwt(session).wid} /app` : null;
}

/** Returns the cookies that a response sets, by name. A deleted cookie has an empty value. */
export function cookiesOf(response: Response): Record<string, string> {
  return Object.fromEntries(
    response.headers.getSetCookie().map((line) => /^([^=]+)=([^;]*)/.exec(line)?.slice(1) ?? ["", ""]),
  );
}
