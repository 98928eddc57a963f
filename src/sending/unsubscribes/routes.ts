import { belongsToHost } from "../../domains/hosts/index.ts";
import { type AppContext, newRoutes } from "../../http/env.ts";
import { isForm } from "../../http/fields.ts";
import { needs } from "../../http/needs.ts";
import { respondPage } from "../../http/page.tsx";
import { readForm } from "../../http/page-routes.ts";
import { readUnsubscribeAddress } from "../../platform/mail-tokens/return-path.ts";
import { findRecipient } from "./find-recipient.ts";
import { actions, donePage, invalidLinkPage, preferencesPage } from "./page.tsx";
import { readPreferences } from "./preferences.ts";
import { leaveAll, leaveTopics, savePreferences, unsubscribe } from "./unsubscribe.ts";

/** One-click unsubscribe (RFC 8058), and the page behind its link. The signed token is the only credential. */
export const unsubscribeRoutes = newRoutes()
  .get("/u/:token", needs("public"), async (c) => {
    const recipient = (await isServed(c)) ? await findRecipient(c.get("ctx"), c.req.param("token")) : null;
    if (!recipient) return respondPage(c, invalidLinkPage(), { status: 404 });
    return respondPage(c, preferencesPage(await readPreferences(c.get("ctx"), recipient), null));
  })
  .post("/u/:token", needs("public"), async (c) => {
    if (!(await isServed(c))) return respondPage(c, invalidLinkPage(), { status: 404 });
    // A mail program sends a form of any type (RFC 8058 3.1), and no action.
    const form = isForm(c) ? await readForm(c) : new URLSearchParams();
    const action = form.get("action");
    if (action === actions.topic || action === actions.save || action === actions.all) return change(c, action, form);
    const done = await unsubscribe(c.get("ctx"), c.req.param("token"), "one-click");
    return done
      ? respondPage(c, donePage(done.topic?.name ?? null))
      : respondPage(c, invalidLinkPage(), { status: 404 });
  });

/** Does what a form of the page asks for, and shows the page as it is then. */
async function change(c: AppContext, action: keyof typeof actions, form: URLSearchParams): Promise<Response> {
  const ctx = c.get("ctx");
  const recipient = await findRecipient(ctx, c.req.param("token") ?? "");
  if (!recipient) return respondPage(c, invalidLinkPage(), { status: 404 });
  const { topic } = await readPreferences(ctx, recipient);
  if (action === actions.save)
    await savePreferences(ctx, recipient, {
      shown: new Set(form.getAll("shown")),
      checked: new Set(form.getAll("topic")),
    });
  else if (action === actions.topic && topic !== null) await leaveTopics(ctx, recipient, "page", [topic]);
  else await leaveAll(ctx, recipient, "page");
  const done = action === actions.save ? "Your choice is saved" : "You are unsubscribed";
  return respondPage(c, preferencesPage(await readPreferences(ctx, recipient), done));
}

/** Returns whether the host of a request serves the token: a host of a customer takes those of its own workspace only. */
async function isServed(c: AppContext): Promise<boolean> {
  const [ctx, host] = [c.get("ctx"), c.get("customHost")];
  if (host === null) return true;
  const mail = await readUnsubscribeAddress(ctx.settings.masterKeys, c.req.param("token") ?? "");
  return mail !== null && belongsToHost(ctx, host, mail);
}
