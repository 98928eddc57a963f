import { belongsToHost } from "../../domains/hosts/index.ts";
import { type AppContext, clientOf, newRoutes } from "../../http/env.ts";
import { needs } from "../../http/needs.ts";
import { respondBrokenLink, respondPage } from "../../http/page.tsx";
import { Form, Layout, TextPage } from "../../http/ui/index.ts";
import { readBrand } from "../../platform/brands/brand.ts";
import { confirmLink, type LinkState, readLink } from "./confirm.ts";
import { readConfirmationToken } from "./tokens.ts";
import type { MailWords } from "./words.ts";

/** The links of confirmation mails. The signed token is the only credential. */
export const confirmationRoutes = newRoutes()
  .get("/c/:token", needs("public"), async (c) =>
    respond(c, (await isServed(c)) ? await readLink(c.get("ctx"), c.req.param("token")) : { state: "invalid" }),
  )
  .post("/c/:token", needs("public"), async (c) =>
    respond(
      c,
      (await isServed(c)) ? await confirmLink(c.get("ctx"), c.req.param("token"), clientOf(c)) : { state: "invalid" },
    ),
  );

async function respond(c: AppContext, found: LinkState) {
  if (found.state === "invalid") return respondBrokenLink(c);
  const { words, contact, link } = found;
  const sender = {
    brand: await readBrand(c.get("ctx"), link.workspace),
    address: contact.email,
    language: words.language ?? "en",
  };
  if (found.state === "pending") return respondPage(c, <AskPage {...words} />, sender);
  if (found.state === "expired")
    return respondPage(c, <TextPage of={(texts) => [texts.expired, texts.expiredText]} />, { status: 410, ...sender });
  const { workspace, list } = words;
  const confirmed = <TextPage of={(texts) => [texts.confirmed, texts.confirmedText(workspace, list)]} />;
  return respondPage(c, confirmed, sender);
}

/** Returns whether the host of a request serves the token: a host of a customer takes those of its own workspace only. */
async function isServed(c: AppContext): Promise<boolean> {
  const [ctx, host] = [c.get("ctx"), c.get("customHost")];
  if (host === null) return true;
  const link = await readConfirmationToken(ctx.settings.masterKeys, c.req.param("token") ?? "");
  return link !== null && belongsToHost(ctx, host, { workspace: link.workspace, emailId: link.contactId });
}

/** The page with the button that confirms. Loading it changes nothing: link scanners load it too. */
const AskPage = ({ list, text, button }: MailWords) => (
  <Layout title={list}>
    <p>{text}</p>
    <Form>
      <button type="submit" class="wide">
        {button}
      </button>
    </Form>
  </Layout>
);
