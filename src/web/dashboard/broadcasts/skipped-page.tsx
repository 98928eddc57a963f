import {
  type Broadcast,
  type SkippedOut,
  type SkipReason,
  skipCountsOf,
  skipReasons,
  skipWords,
} from "../../../audience/broadcasts/index.ts";
import { AppLayout, Chips, counted, Empty, FindForm, List, toSentence } from "../../../http/ui/index.ts";
import { withQuery } from "../../../lib/with-query.ts";

const REASONS = ["", ...skipReasons] as const;

interface SkippedPageProps {
  broadcast: Broadcast;
  skipped: readonly SkippedOut[];
  q: string;
  reason: SkipReason | "";
}

/** The contacts that a broadcast skipped, with the reason of each. */
export function SkippedPage({ broadcast, skipped, q, reason }: SkippedPageProps) {
  const path = `/app/broadcasts/${broadcast.row.id}`;
  const counts = skipCountsOf(broadcast);
  return (
    <AppLayout title="Skipped contacts">
      <p>
        By <a href={path}>{broadcast.row.name}</a>, for the reasons that there were when it was sent.
        {counts?.gone
          ? ` ${counted(counts.gone, "other contact")} got no email: deleted meanwhile, or not reached.`
          : ""}
      </p>
      <FindForm action={`${path}/skipped`} name="q" label="Find an address" value={q} maxlength={320} />
      <Chips
        label="Reason"
        choices={REASONS.map((one) => [one, one === "" ? "all" : `${one}${counts ? ` (${counts[one]})` : ""}`])}
        chosen={reason}
        to={(one) => withQuery(`${path}/skipped`, { q, reason: one })}
      />
      <List
        caption="Skipped contacts"
        columns={["Address", "Name", "Why"]}
        empty={<Empty drawing="search">No skipped contact.</Empty>}
        rows={skipped.map(({ list_id, contact_id, email, name, reason: of, cause }) => [
          email === null ? (
            "A contact that was deleted"
          ) : (
            <a href={`/app/contacts/${list_id}/contacts/${contact_id}/timeline`}>{email}</a>
          ),
          name ?? "",
          toSentence(skipWords[cause ?? of]),
        ])}
      />
    </AppLayout>
  );
}
