import { belongsToHost } from "../../domains/hosts/index.ts";
import { type AppContext, newRoutes } from "../../http/env.ts";
import { isForm } from "../../http/fields.ts";
import { needs } from "../../http/needs.ts";
import { respondBrokenLink, respondPage } from "../../http/page.tsx";
import { readForm } from "../../http/page-routes.ts";
import { TextPage } from "../../http/ui/index.ts";
import { readBrand } from "../../platform/brands/brand.ts";
import { readUnsubscribeAddress } from "../../platform/mail-tokens/return-path.ts";
import { type FoundRecipient, findRecipient } from "./find-recipient.ts";
import { actions, PreferencesPage } from "./page.tsx";
import { readPreferences } from "./preferences.ts";
import { leaveAll, leaveTopics, savePreferences, unsubscribe } from "./unsubscribe.ts";

/** One-click unsubscribe (RFC 8058), and the page behind its link. The signed token is the only credential. */
export const unsubscribeRoutes = newRoutes()
  .get("/u/:token", needs("public"), async (c) => {
    const recipient = await recipientOf(c);
    return recipient ? showPreferences(c, recipient, null) : respondBrokenLink(c);
  })
  .post("/u/:token", needs("public"), async (c) => {
    const recipient = await recipientOf(c);
    if (!recipient) return respondBrokenLink(c);
    // A mail program sends a form of any type (RFC 8058 3.1), and no action.
    const form = isForm(c) ? await readForm(c) : new URLSearchParams();
    const action = form.get("action");
    if (action === actions.topic || action === actions.save || action === actions.all)
      return change(c, recipient, action, form);
    const { topic } = await unsubscribe(c.get("ctx"), recipient, "one-click");
    const left = <TextPage of={(texts) => [texts.left, topic ? texts.leftTopic(topic.name) : texts.leaveText]} />;
    return respondPage(c, left, await senderOf(c, recipient));
  });

/** Returns what the page says about the sender and the recipient. */
async function senderOf(c: AppContext, { state, address }: FoundRecipient) {
  return { brand: await readBrand(c.get("ctx"), state.workspace), address };
}

async function showPreferences(c: AppContext, recipient: FoundRecipient, done: "saved" | "left" | null) {
  const [preferences, sender] = await Promise.all([readPreferences(c.get("ctx"), recipient), senderOf(c, recipient)]);
  return respondPage(c, <PreferencesPage {...preferences} done={done} />, sender);
}

/** Does what a form of the page asks for, and shows the page as it is then. */
async function change(c: AppContext, recipient: FoundRecipient, action: keyof typeof actions, form: URLSearchParams) {
  const ctx = c.get("ctx");
  const { topic } = await readPreferences(ctx, recipient);
  if (action === actions.save)
    await savePreferences(ctx, recipient, {
      shown: new Set(form.getAll("shown")),
      checked: new Set(form.getAll("topic")),
    });
  else if (action === actions.topic && topic !== null) await leaveTopics(ctx, recipient, "page", [topic]);
  else await leaveAll(ctx, recipient, "page");
  return showPreferences(c, recipient, action === actions.save ? "saved" : "left");
}

/** Returns the recipient of the token. Null: it names none, or the host of the request is that of a customer with another workspace. */
async function recipientOf(c: AppContext): Promise<FoundRecipient | null> {
  const [ctx, host, token] = [c.get("ctx"), c.get("customHost"), c.req.param("token") ?? ""];
  const mail = host === null ? null : await readUnsubscribeAddress(ctx.settings.masterKeys, token);
  if (host !== null && !(mail && (await belongsToHost(ctx, host, mail)))) return null;
  return findRecipient(ctx, token);
}
