import type { Context } from "hono";
import { Hono } from "hono";
import { isRecentlyReauthenticated } from "../../../access/sessions/reauthentication.ts";
import type { AppEnv } from "../../../http/env.ts";
import { readForm } from "../../../http/fields.ts";
import { respondPage } from "../../../http/page.tsx";
import { parseFields, type Refusal, submitForm } from "../../../http/page-form.ts";
import { pageFor } from "../../../http/page-right.ts";
import { AppError, invalidField } from "../../../lib/errors.ts";
import { ForceIn, forceDomain } from "../../../transfers/domain-transfers/index.ts";
import { withProof } from "../proof-of-identity.tsx";
import { type ForceForm, ForcePage } from "./force.tsx";

const FORCE = "POST /v1/admin/domain-transfers/:domain_id";

/** The transfer of a domain by an administrator of the platform. */
export const forcePages = new Hono<AppEnv>()
  .get("/app/admin/transfers", ...pageFor(FORCE), (c) =>
    showForm(c, { domainId: "", targetEmail: "", rotateDkim: true }),
  )
  .post("/app/admin/transfers", ...pageFor(FORCE), async (c) => {
    const fields = await readForm(c);
    const form = {
      domainId: fields.get("domain_id")?.trim() ?? "",
      targetEmail: fields.get("target_email")?.trim() ?? "",
      rotateDkim: fields.get("rotate_dkim") === "on",
    };
    return submitForm(
      c,
      async () => {
        const input = parseFields(ForceIn, { target_email: form.targetEmail, rotate_dkim: form.rotateDkim });
        const caller = await withProof(c, fields.get("proof")?.trim() ?? "");
        await explainUnknown(() => forceDomain(caller, form.domainId, input));
        return "/app/admin/transfers?done=moved";
      },
      (refusal) => showForm(c, form, refusal),
    );
  });

/** Names the field that a 404 is about. */
async function explainUnknown(run: () => Promise<unknown>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof AppError) || error.status !== 404) throw error;
    throw invalidField(error.message.startsWith("Domain") ? "domain_id" : "target_email", error.message);
  }
}

function showForm(c: Context<AppEnv>, form: ForceForm, refusal?: Refusal) {
  const caller = c.get("caller");
  const page = (
    <ForcePage
      caller={caller}
      form={form}
      needsProof={!isRecentlyReauthenticated(caller)}
      notice={!refusal && c.req.query("done") === "moved" ? "The domain has moved." : undefined}
      refusal={refusal}
    />
  );
  return respondPage(c, page, { status: refusal?.status ?? 200 });
}
