import { type AppContext, newRoutes } from "../../../http/env.ts";
import { respondPage } from "../../../http/page.tsx";
import { pageFor, parseFields, submitForm } from "../../../http/page-routes.ts";
import { AppError, invalidField } from "../../../lib/errors.ts";
import { ForceIn, forceDomain } from "../../../transfers/domain-transfers/index.ts";
import { ForcePage } from "./force.tsx";

const FORCE = "POST /v1/admin/domain-transfers/:domain_id";

/** The transfer of a domain by an administrator of the platform. */
export const forcePages = newRoutes()
  .get("/app/admin/transfers", ...pageFor(FORCE), showForm)
  .post("/app/admin/transfers", ...pageFor(FORCE), (c) =>
    submitForm(c, showForm, async (fields) => {
      const text = (name: string) => fields.get(name)?.trim() ?? "";
      const rotate_dkim = fields.get("rotate_dkim") === "on";
      const input = parseFields(ForceIn, { target_email: text("target_email"), rotate_dkim });
      await explainUnknown(() => forceDomain(c.get("caller"), text("domain_id"), input));
      return "/app/admin/transfers?done=moved";
    }),
  );

/** Names the field that a 404 is about. */
async function explainUnknown(run: () => Promise<unknown>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof AppError) || error.status !== 404) throw error;
    throw invalidField(error.message.startsWith("Domain") ? "domain_id" : "target_email", error.message);
  }
}

function showForm(c: AppContext) {
  return respondPage(c, <ForcePage />, { notices: { moved: "The domain has moved." } });
}
