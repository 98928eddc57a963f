import type { AppContext } from "../../../http/env.ts";
import { respondPage } from "../../../http/page.tsx";
import { page, pagesOf, post } from "../../../http/page-actions.tsx";
import { attempt, readForm } from "../../../http/page-routes.ts";
import { ActionLink, AppLayout, ConfirmPage, Empty, Field, Form, List, Time } from "../../../http/ui/index.ts";
import { notFound } from "../../../lib/errors.ts";
import { type DomainClaimRow, endDomainClaim, listDomainClaims, readHost } from "../../../operations/admin/index.ts";

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
  respondPage(
    c,
    <AppLayout title="Domain claims">
      <Form class="filter" method="get" action={PATH}>
        <Field
          name="name"
          label="Find who has verified a domain"
          placeholder="example.com"
          value={name}
          maxlength={253}
        />
        <button type="submit">Find</button>
      </Form>
      {claims === null ? null : (
        <List
          caption="Domain claims"
          columns={["Domain", "Workspace", "Since", "Id of the domain", "Action"]}
          empty={<Empty>No workspace has verified {name}, or a domain above it.</Empty>}
          rows={claims.map((claim) => [
            claim.name,
            claim.workspace_name,
            claim.verified_at === null ? "" : <Time at={claim.verified_at} />,
            <span class="code">{claim.domain_id}</span>,
            <ActionLink
              to={`${PATH}/end?${new URLSearchParams({ name: claim.name })}`}
              label="End"
              name={`End the verification of ${claim.name}`}
            />,
          ])}
        />
      )}
    </AppLayout>,
  );
