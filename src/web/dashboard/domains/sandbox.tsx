import type { CallerCtx } from "../../../access/caller.ts";
import type { DomainOut } from "../../../domains/domains/index.ts";
import { ButtonLink, Layout } from "../../../http/ui/index.ts";

/** The page of a test domain, whose records are those of the service. */
export const SandboxPage = ({ caller, domain: { id, name } }: { caller: CallerCtx; domain: DomainOut }) => {
  const mayManage = caller.actor.scopes.has("domains:manage");
  const remove = <ButtonLink to={`/app/domains/${id}/delete`} label="Delete" kind="danger" />;
  return (
    <Layout title={name} caller={caller} at="/app/domains" actions={mayManage ? remove : null}>
      <p>
        This is the test domain of the workspace. It sends 50 emails a day, to members of the workspace only, and
        receives none. The service publishes its DNS records. To send to anyone,{" "}
        <a href="/app/domains">add a domain that you own</a>.
      </p>
    </Layout>
  );
};
