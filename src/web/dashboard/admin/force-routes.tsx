import type { Context } from "hono";
import { Hono } from "hono";
import { clientOf } from "../../../http/client.ts";
import type { AppEnv } from "../../../http/env.ts";
import { readForm } from "../../../http/fields.ts";
import { respondPage } from "../../../http/page.tsx";
import { parseFields, type Refusal, submitForm } from "../../../http/page-form.ts";
import { pageFor } from "../../../http/page-right.ts";
import { reauthenticate } from "../../../identity/sign-ins/index.ts";
import { AppError, unprocessable } from "../../../lib/errors.ts";
import { ForceIn, forceDomain, isRecentlyReauthenticated } from "../../../transfers/domain-transfers/index.ts";
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

/**
 * Returns the caller with a session that was re-authenticated. `proof` is a TOTP code, or the address or token of a fresh
 * sign-in link. Throws 422 for a wrong one.
 */
async function withProof(c: Context<AppEnv>, proof: string) {
  const caller = c.get("caller");
  if (isRecentlyReauthenticated(caller) || caller.actor.kind !== "session") return caller;
  if (proof === "") throw invalid("proof", "Give a code, or the address of a fresh sign-in link");
  const given = /^[\d ]{6,9}$/.test(proof) ? { code: proof } : { token: proof.slice(proof.lastIndexOf("/") + 1) };
  try {
    const reauthenticatedAt = await reauthenticate(caller, given, clientOf(c).ip);
    const proven = { ...caller, actor: { ...caller.actor, reauthenticatedAt } };
    c.set("caller", proven);
    return proven;
  } catch (error) {
    if (error instanceof AppError && error.status === 403) throw invalid("proof", error.message);
    throw error;
  }
}

/** Names the field that a 404 is about. */
async function explainUnknown(run: () => Promise<unknown>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof AppError) || error.status !== 404) throw error;
    throw invalid(error.message.startsWith("Domain") ? "domain_id" : "target_email", error.message);
  }
}

const invalid = (field: string, msg: string) => unprocessable([{ loc: ["body", field], msg, type: "value_error" }]);

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
