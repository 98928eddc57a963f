import { AppLayout, ButtonLink, Empty, List, useViewer } from "../../../http/ui/index.ts";
import type { MakerlessFilters } from "../../../mailboxes/inbox/index.ts";

/** The filters of all mailboxes that forward although it is not known who saved them. */
export const MakerlessFiltersPage = ({ found }: { found: readonly MakerlessFilters[] }) => (
  <AppLayout
    title="Filters without a known maker"
    actions={<ButtonLink to="/app/forwarding" label="Forwarding rules" kind="quiet" />}
  >
    <p>
      A filter of a mailbox stops forwarding when the person who saved it may no longer open the mailbox. Filters that
      were saved before this person was stored, or with the password of the mailbox, go on and are listed here. Save one
      to become its maker, or delete it.
    </p>
    <List
      caption="Filters without a known maker"
      columns={["Mailbox", "Filter", "Forwards to"]}
      empty={
        <Empty>None of these mailboxes has such a filter.{useViewer().next ? " More mailboxes follow." : ""}</Empty>
      }
      rows={found.flatMap(({ mailbox, filters }) =>
        filters.map(({ id, name, addresses }) => [
          mailbox.address,
          <a href={`/mail/filters/${mailbox.id}/${id}`}>{name ?? "Without a name"}</a>,
          addresses.join(", "),
        ]),
      )}
    />
  </AppLayout>
);
