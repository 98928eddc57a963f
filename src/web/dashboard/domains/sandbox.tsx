import type { DomainOut } from "../../../domains/domains/index.ts";
import { AppLayout, ButtonLink, useScope } from "../../../http/ui/index.ts";

/** The page of a test domain, whose records are those of the service. */
export const SandboxPage = ({ domain: { id, name } }: { domain: DomainOut }) => {
  const mayManage = useScope("domains:manage");
  const remove = <ButtonLink to={`/app/domains/${id}/delete`} label="Delete" kind="danger" />;
  return (
    <AppLayout title={name} actions={mayManage ? remove : null}>
      <p>
        This is the test domain of the workspace. It sends 50 emails a day, to members of the workspace only, and
        receives none. The service publishes its DNS records. To send to anyone,{" "}
        <a href="/app/domains">add a domain that you own</a>.
      </p>
    </AppLayout>
  );
};
