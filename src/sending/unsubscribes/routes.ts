import { type Context, Hono } from "hono";
import { belongsToHost } from "../../domains/hosts/index.ts";
import type { AppEnv } from "../../http/env.ts";
import { needs } from "../../http/needs.ts";
import { respondPage } from "../../http/page.tsx";
import { readUnsubscribeAddress } from "../../platform/mail-tokens/index.ts";
import { confirmPage, donePage, invalidLinkPage } from "./page.tsx";
import { unsubscribe } from "./unsubscribe.ts";

/** One-click unsubscribe (RFC 8058). The signed token is the only credential. */
export const unsubscribeRoutes = new Hono<AppEnv>()
  .get("/u/:token", needs("public"), async (c) =>
    (await isServed(c)) ? respondPage(c, confirmPage()) : respondPage(c, invalidLinkPage(), { status: 404 }),
  )
  .post("/u/:token", needs("public"), async (c) => {
    const isDone = (await isServed(c)) && (await unsubscribe(c.get("ctx"), c.req.param("token"), "one-click"));
    return isDone ? respondPage(c, donePage()) : respondPage(c, invalidLinkPage(), { status: 404 });
  });

/** Returns whether the host of a request serves the token: a host of a customer takes those of its own workspace only. */
async function isServed(c: Context<AppEnv>): Promise<boolean> {
  const [ctx, host] = [c.get("ctx"), c.get("customHost")];
  if (host === null) return true;
  const mail = await readUnsubscribeAddress(ctx.settings.masterKeys, c.req.param("token") ?? "");
  return mail !== null && belongsToHost(ctx, host, mail);
}
