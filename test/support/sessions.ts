import { exports } from "cloudflare:workers";
import { newSession } from "../../src/access/sessions/index.ts";
import type { Ctx } from "../../src/platform/context.ts";
import type { SignInMethod } from "../../src/platform/db/schema/main/index.ts";
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

/** Returns functions that call the Worker as a page of its own origin does, with these cookies. */
export function apiWithCookies(cookies: Record<string, string>) {
  const cookie = Object.entries(cookies).map(([name, value]) => `${name}=${value}`);
  return apiWith(null, (request) => {
    const headers = new Headers(request.headers);
    headers.set("Cookie", cookie.join("; "));
    if (!headers.has("Origin")) headers.set("Origin", ORIGIN);
    return exports.default.fetch(new Request(request, { headers }));
  });
}

/** Returns the cookies that a response sets, by name. A deleted cookie has an empty value. */
export function cookiesOf(response: Response): Record<string, string> {
  return Object.fromEntries(
    response.headers.getSetCookie().map((line) => /^([^=]+)=([^;]*)/.exec(line)?.slice(1) ?? ["", ""]),
  );
}
