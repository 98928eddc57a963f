import type { ContentfulStatusCode } from "hono/utils/http-status";
import { type AppContext, newRoutes } from "../../../http/env.ts";
import { respondPage } from "../../../http/page.tsx";
import { readForm } from "../../../http/page-routes.ts";
import { pageSession } from "../../../http/page-session.ts";
import { AppError } from "../../../lib/errors.ts";
import { acceptByToken, declineByToken, stopByToken } from "../calls.ts";
import { transferError } from "../errors.ts";
import { previewAccept, previewStop } from "../previews.ts";
import { acceptedPage, acceptPage, declinedPage, refusedPage, stopPage, stoppedPage } from "./pages.tsx";

/** The pages of mailed links. They ask for a sign-in; a GET changes nothing, since mail scanners open links. */
export const transferPageRoutes = newRoutes()
  .get("/domain-transfers/accept/:token", pageSession, (c) =>
    orRefusal(c, async () => respondPage(c, acceptPage(await previewAccept(c.get("caller"), c.req.param("token"))))),
  )
  .post("/domain-transfers/accept/:token", pageSession, (c) =>
    orRefusal(c, async () => {
      const caller = c.get("caller");
      const token = c.req.param("token");
      const form = await readForm(c);
      if (form.get("decision") === "decline")
        return respondPage(c, declinedPage({ domain: (await declineByToken(caller, token)).domain_name }));
      return accept(c, token, form);
    }),
  )
  .get("/domain-transfers/stop/:token", pageSession, (c) =>
    orRefusal(c, async () =>
      respondPage(c, stopPage({ transfer: await previewStop(c.get("caller"), c.req.param("token")) })),
    ),
  )
  .post("/domain-transfers/stop/:token", pageSession, (c) =>
    orRefusal(c, async () => {
      const { domain_name } = await stopByToken(c.get("caller"), c.req.param("token"));
      return respondPage(c, stoppedPage({ domain: domain_name }));
    }),
  );

/** Accepts as the form says. When the transfer waits for something, the form is shown again with the reason. */
async function accept(c: AppContext, token: string, form: URLSearchParams): Promise<Response> {
  const caller = c.get("caller");
  const input = { target_org_id: form.get("target_org_id"), rotate_dkim: form.get("rotate_dkim") === "on" };
  try {
    const { domain_name, cooloff_until, dkim_records } = await acceptByToken(caller, token, input);
    return respondPage(c, acceptedPage({ domain: domain_name, cooloffUntil: cooloff_until, records: dkim_records }));
  } catch (error) {
    if (!(error instanceof AppError) || (error.extra.blockers ?? []).length === 0) throw error;
    const blockers = (error.extra.blockers ?? []).map(({ label }) => label).join(", ");
    const preview = await previewAccept(caller, token);
    return respondPage(c, acceptPage({ ...preview, error: `${error.message}: ${blockers}` }), { status: 409 });
  }
}

/** Runs `next` while transfers are switched on. An error of the caller is shown on a page. */
async function orRefusal(c: AppContext, next: () => Promise<Response>): Promise<Response> {
  const { settings, actor } = c.get("caller");
  try {
    if (!settings.domainTransfers) throw transferError("not_found");
    return await next();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const page = refusedPage({ reason: error.message, email: actor.email });
    return respondPage(c, page, { status: error.status as ContentfulStatusCode });
  }
}
