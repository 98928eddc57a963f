import * as z from "zod";
import { apiRoutes, outlives } from "../../http/api-routes.ts";
import { deleteCookies, readCookie } from "../../http/cookies.ts";
import { type AppContext, clientOf } from "../../http/env.ts";
import { isForm, readFields } from "../../http/fields.ts";
import { needs } from "../../http/needs.ts";
import { fieldsBody } from "../../http/openapi.ts";
import { respondPage } from "../../http/page.tsx";
import { refuseCrossSite } from "../../http/same-origin.ts";
import { parseAddress } from "../../lib/addresses.ts";
import { AppError, invalidField } from "../../lib/errors.ts";
import { countMagicLink, findMagicLink, redeemMagicLink, sendMagicLink } from "./magic-links/index.ts";
import { invalidSignInPage, linkSentPage, magicLinkPage, secondFactorPage, signInPage } from "./pages.tsx";
import { enabledProviders } from "./providers/index.ts";
import { respondSignIn } from "./respond.ts";
import { returnPath } from "./rules.ts";
import { MagicLinkIn, MagicLinkOut } from "./schema.ts";
import { completeSecondFactor } from "./second-factor/complete.ts";

const CodeForm = z.object({ code: z.string().max(64) });

const showSignIn = (
  c: AppContext,
  next: string,
  problem: { email?: string; error?: string; status?: 422 | 429 } = {},
) =>
  respondPage(c, signInPage({ next, providers: enabledProviders(c.get("ctx").settings), ...problem }), {
    status: problem.status ?? 200,
  });

/** Signing in by a link in an email, and the second factor. */
export const signInRoutes = apiRoutes("Sessions")
  .post("/auth/magic-link", "sendMagicLink", "public", outlives.nothing, {
    summary: "Email a sign-in link",
    description:
      "Returns the same for addresses with and without an account. The link is valid for 15 minutes. The limits are 5 links " +
      "for each address and 20 for each ip in 15 minutes.",
    requestBody: fieldsBody(MagicLinkIn),
    returns: { 202: ["A link is sent if the address has an account", MagicLinkOut] },
    errors: [403, 413, 415],
    run: async (_caller, _input, c) => {
      refuseCrossSite(c);
      const { email, next } = await readFields(c, MagicLinkIn);
      const path = returnPath(next);
      const address = parseAddress(email.trim());
      if (!address) {
        const error = "Enter an email address, such as ada@example.com.";
        if (isForm(c)) return showSignIn(c, path, { email, error, status: 422 });
        throw invalidField("email", "email is not a valid email address");
      }
      const ctx = c.get("ctx");
      try {
        await countMagicLink(ctx, address, clientOf(c).ip);
      } catch (error) {
        if (!isForm(c) || !(error instanceof AppError)) throw error;
        return showSignIn(c, path, { email, error: `${error.message}.`, status: 429 });
      }
      c.executionCtx.waitUntil(
        sendMagicLink(ctx, address, path, c.get("sendSystemEmail")).catch((error) =>
          ctx.log("sign-in-link.failed", { error: String(error) }),
        ),
      );
      if (isForm(c))
        return respondPage(c, linkSentPage({ email: address.address, isOpen: ctx.settings.signUp === "open" }));
      return c.json({ detail: "A sign-in link is sent if the address has an account" }, 202);
    },
  })
  .app.get("/auth/sign-in", needs("public"), (c) => showSignIn(c, returnPath(c.req.query("next"))))
  .get("/auth/magic-link/:token", needs("public"), async (c) => {
    const email = await findMagicLink(c.get("ctx"), c.req.param("token"));
    return email === null
      ? respondPage(c, invalidSignInPage(), { status: 404 })
      : respondPage(c, magicLinkPage({ email }));
  })
  .post("/auth/magic-link/:token", needs("public"), async (c) => {
    refuseCrossSite(c);
    const signIn = await redeemMagicLink(c.get("ctx"), c.req.param("token"), clientOf(c));
    return respondSignIn(c, signIn ?? { kind: "redeemed-before" });
  })
  .get("/auth/totp", needs("public"), (c) =>
    readCookie(c, "second_factor") === undefined
      ? c.redirect("/auth/sign-in", 303)
      : respondPage(c, secondFactorPage({})),
  )
  .post("/auth/totp", needs("public"), async (c) => {
    refuseCrossSite(c);
    const { code } = await readFields(c, CodeForm);
    const token = readCookie(c, "second_factor");
    if (token === undefined) return c.redirect("/auth/sign-in", 303);
    try {
      const result = await completeSecondFactor(c.get("ctx"), { token, code, client: clientOf(c) });
      if (result.kind === "wrong-code")
        return respondPage(c, secondFactorPage({ error: "The code is wrong or was used before." }), { status: 422 });
      deleteCookies(c, "second_factor");
      return result.kind === "expired" ? c.redirect("/auth/sign-in", 303) : respondSignIn(c, result);
    } catch (error) {
      if (!(error instanceof AppError) || error.status !== 429) throw error;
      return respondPage(c, secondFactorPage({ error: `${error.message}.` }), { status: 429 });
    }
  });
