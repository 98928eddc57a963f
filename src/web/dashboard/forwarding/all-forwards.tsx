import {
  ActionLink,
  AppLayout,
  ButtonLink,
  Empty,
  List,
  PostButton,
  Status,
  Time,
  useViewer,
} from "../../../http/ui/index.ts";
import type { RuleOut } from "../../../mailboxes/forwarding-rules/index.ts";
import type { ForwardingFilter } from "../../../mailboxes/inbox/index.ts";
import { type Names, scopeOf, statusOf, targetOf } from "./page.tsx";

interface AllForwardsProps {
  /** Those of the first page only. */
  rules: readonly RuleOut[];
  filters: readonly ForwardingFilter[];
  names: Names;
  /** Addresses of users by their ids. */
  makers: Names;
}

/** Everything that forwards mail of the workspace: its rules, and the filters of its mailboxes. */
export function AllForwardsPage({ rules, filters, names, makers }: AllForwardsProps) {
  const makerOf = (id: string | null) => (id === null ? "Not known" : (makers.get(id) ?? "A former user"));
  return (
    <AppLayout title="All forwards" actions={<ButtonLink to="/app/forwarding" label="Forwarding rules" kind="quiet" />}>
      <p>
        A rule belongs to the workspace. A filter of a mailbox stops forwarding when the person who saved it may no
        longer open the mailbox. If that person is not known, for example after a sign-in by password, it keeps
        forwarding.
      </p>
      <List
        caption="All forwards"
        kind="forwards"
        columns={["Forward", "Mail to", "Copies to", "Status", "Saved by", "Last use", "Action"]}
        empty={
          <Empty>No mail of these mailboxes is forwarded.{useViewer().next ? " More mailboxes follow." : ""}</Empty>
        }
        rows={[
          ...rules.map((rule) => [
            <a href={`/app/forwarding/${rule.id}`}>Rule {rule.position}</a>,
            scopeOf(rule, names),
            targetOf(rule, names),
            <Status word={statusOf(rule)} />,
            makerOf(rule.maker_id),
            "Not stored",
            <ActionLink to={`/app/forwarding/${rule.id}/delete`} label="End" name={`End rule ${rule.position}`} />,
          ]),
          ...filters.map(({ id, name, mailbox, addresses, makerId, isForwarding, lastUsedAt }) => [
            <a href={`/mail/filters/${mailbox.id}/${id}`}>{name ?? "Filter without a name"}</a>,
            mailbox.address,
            addresses.join(", "),
            <Status word={isForwarding ? "active" : "off"} label={isForwarding ? "Active" : "Does not forward"} />,
            makerOf(makerId),
            lastUsedAt === null ? "Never" : <Time at={lastUsedAt} />,
            <PostButton
              to={`/app/forwarding/filters/${mailbox.id}/${id}/end`}
              label="End"
              kind="danger"
              name={`End the forwards of ${name ?? "the filter"} of ${mailbox.address}`}
            />,
          ]),
        ]}
      />
    </AppLayout>
  );
}
