import type { AppContext } from "./env.ts";
import { keptOf, StepThenForm } from "./kept-form.tsx";
import { respondPage } from "./page.tsx";
import { AppLayout } from "./ui/index.ts";

/**
 * Returns the page for a form that takes a proof of identity (docs/contract/sign-in.md#proof-of-identity). It holds what was entered,
 * so that a person proves its identity in another tab and sends the form again.
 */
export function respondProofNeeded(c: AppContext): Response | Promise<Response> {
  const kept = keptOf(c, c.get("form") ?? new URLSearchParams());
  const page = (
    <AppLayout title="Prove that it is you" at="">
      <p>Nothing was changed yet. This takes a sign-in or a proof of your identity of the last five minutes.</p>
      <StepThenForm kept={kept} to="/app/security/proof" label="Prove your identity" />
    </AppLayout>
  );
  return respondPage(c, page, { status: 403 });
}
