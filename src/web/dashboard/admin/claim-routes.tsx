import type { AppContext } from "../../../http/env.ts";
import { respondPage } from "../../../http/page.tsx";
import { page, pagesOf, post } from "../../../http/page-actions.tsx";
import { attempt, readForm } from "../../../http/page-routes.ts";
import { ConfirmPage } from "../../../http/ui/index.ts";
import { notFound } from "../../../lib/errors.ts";
import { type DomainClaimRow, endDomainClaim, listDomainClaims, readHost } from "../../../operations/admin/index.ts";
import { ClaimsPage } from "./claims.tsx";

const END = "DELETE /v1/admin/domain-claims/:name";
const PATH = "/app/admin/domain-claims";

/** Verified domains of the platform: an administrator ends the verification that keeps an owner from its name. */
export const claimPages = pagesOf(
  "verification",
  page(PATH, "GET /v1/admin/domain-claims/:name", (c) => {
    const name = c.req.query("name")?.trim() ?? "";
    return attempt(
      c,
      () => showClaims(c, name, null),
      async () =>
        showClaims(c, name, name === "" ? null : await listDomainClaims(c.get("caller"), readHost(name, "name"))),
    );
  }),
  page(`${PATH}/end`, END, async (c) => {
    const name = readHost(c.req.query("name") ?? "", "name");
    const claim = (await listDomainClaims(c.get("caller"), name)).find((found) => found.name === name);
    if (!claim) throw notFound("Verified domain");
    return respondPage(
      c,
      <ConfirmPage
        title={`End the verification of ${name}?`}
        button="End the verification"
        back={`${PATH}?${new URLSearchParams({ name })}`}
        fields={{ name }}
      >
        The domain sends nothing more for {claim.workspace_name}, whose owners are told, and another workspace can
        verify the name.
      </ConfirmPage>,
    );
  }),
  post(
    `${PATH}/end`,
    END,
    async (c) => {
      const name = readHost((await readForm(c)).get("name") ?? "", "name");
      await endDomainClaim(c.get("caller"), name);
      return c.redirect(`${PATH}?${new URLSearchParams({ name, done: "ended" })}`, 303);
    },
    { ended: "The verification is ended." },
  ),
);

/** Shows the claims of a name that was searched for; null: none was, or it was refused. */
const showClaims = (c: AppContext, name: string, claims: DomainClaimRow[] | null) =>
  respondPage(c, <ClaimsPage name={name} claims={claims} />);
