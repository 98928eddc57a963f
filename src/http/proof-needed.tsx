import type { AppContext } from "./env.ts";
import { KeptForm, keptOf } from "./kept-form.tsx";
import { respondPage } from "./page.tsx";
import { AppLayout, ErrorList } from "./ui/index.ts";

/**
 * Returns the page for a form that takes a proof of identity (docs/contract/sign-in.md#proof-of-identity). It holds what was entered,
 * so that a person proves its identity in another tab and sends the form again.
 */
export function respondProofNeeded(c: AppContext): Response | Promise<Response> {
  const kept = keptOf(c, c.get("form") ?? new URLSearchParams());
  const page = (
    <AppLayout title="Prove that it is you" at="">
      <p>Nothing was changed yet. This takes a sign-in or a proof of your identity of the last five minutes.</p>
      <ErrorList errors={kept.lost} />
      <ol>
        <li>
          <a href="/app/security/proof" target="_blank" rel="noopener">
            Prove your identity in a new tab
          </a>
          .
        </li>
        <li>Come back to this tab and send the form again.</li>
      </ol>
      <KeptForm kept={kept} button="Send the form again" />
    </AppLayout>
  );
  return respondPage(c, page, { status: 403 });
}
