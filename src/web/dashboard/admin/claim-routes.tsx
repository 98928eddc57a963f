import type { Context } from "hono";
import { Hono } from "hono";
import type { AppEnv } from "../../../http/env.ts";
import { readForm } from "../../../http/fields.ts";
import { respondPage } from "../../../http/page.tsx";
import { toRefusal } from "../../../http/page-form.ts";
import { pageFor } from "../../../http/page-right.ts";
import { ConfirmPage } from "../../../http/ui/index.ts";
import { notFound } from "../../../lib/errors.ts";
import { endDomainClaim, listDomainClaims, readHost } from "../../../operations/admin/index.ts";
import { ClaimsPage } from "./claims.tsx";

const END = "DELETE /v1/admin/domain-claims/:name";
const PATH = "/app/admin/domain-claims";

/** Verified domains of the platform: an administrator ends the verification that keeps an owner from its name. */
export const claimPages = new Hono<AppEnv>()
  .get(PATH, ...pageFor("GET /v1/admin/domain-claims/:name"), (c) => showClaims(c, c.req.query("name")?.trim() ?? ""))
  .get(`${PATH}/end`, ...pageFor(END), async (c) => {
    const name = readHost(c.req.query("name") ?? "", "name");
    const claim = (await listDomainClaims(c.get("caller"), name)).find((found) => found.name === name);
    if (!claim) throw notFound("Verified domain");
    return respondPage(
      c,
      <ConfirmPage
        title={`End the verification of ${name}?`}
        caller={c.get("caller")}
        button="End the verification"
        back={`${PATH}?${new URLSearchParams({ name })}`}
        at={PATH}
        fields={{ name }}
      >
        The domain sends nothing more for {claim.workspace_name}, whose owners are told, and another workspace can
        verify the name.
      </ConfirmPage>,
    );
  })
  .post(`${PATH}/end`, ...pageFor(END), async (c) => {
    const name = readHost((await readForm(c)).get("name") ?? "", "name");
    await endDomainClaim(c.get("caller"), name);
    return c.redirect(`${PATH}?${new URLSearchParams({ name, done: "ended" })}`, 303);
  });

async function showClaims(c: Context<AppEnv>, name: string) {
  const caller = c.get("caller");
  const notice = c.req.query("done") === "ended" ? "The verification is ended." : undefined;
  try {
    const claims = name === "" ? [] : await listDomainClaims(caller, readHost(name, "name"));
    return respondPage(c, <ClaimsPage {...{ caller, name, claims, notice }} />);
  } catch (error) {
    const refusal = toRefusal(error);
    const page = <ClaimsPage caller={caller} name={name} claims={[]} refusal={refusal} />;
    return respondPage(c, page, { status: refusal.status });
  }
}
