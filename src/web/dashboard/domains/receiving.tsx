import type { DomainOut } from "../../../domains/domains/index.ts";
import { Notice, PostButton } from "../../../http/ui/index.ts";

/** Shows where mail to a domain is received, with a button to change it, and a warning where the MX records lead elsewhere today. */
export const Receiving = ({ domain, mayManage }: { domain: DomainOut; mayManage: boolean }) => {
  const { id, name, receives, records } = domain;
  const elsewhere = records.find(({ purpose }) => purpose === "mx")?.found ?? [];
  return (
    <>
      <h2>Mail to the domain</h2>
      <p>
        {receives === null
          ? "It is not set where this mail is received. Sending needs no MX record."
          : `Mail to ${name} is received ${receives ? "here" : "elsewhere"}.`}
      </p>
      {elsewhere.length === 0 ? null : (
        <Notice kind="bad">
          It goes to {elsewhere.join(", ")} today. With the MX record of this service it comes here instead.
        </Notice>
      )}
      {mayManage ? (
        <PostButton
          to={`/app/domains/${id}/receives`}
          label={receives ? "Receive mail elsewhere" : "Receive mail here"}
          kind="quiet"
          fields={{ receives: receives ? "false" : "true" }}
        />
      ) : null}
    </>
  );
};
