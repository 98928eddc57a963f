import type { TimelineEntry } from "../../../audience/people/index.ts";
import { AppLayout, Empty, List, Notice, Time } from "../../../http/ui/index.ts";
import { iso } from "../../../lib/time.ts";
import { toText } from "../emails/index.ts";

const KINDS: Readonly<Record<TimelineEntry["kind"], string>> = {
  email: "Email",
  event: "Event",
  topic: "Topic",
  run: "Automation",
  contact: "List",
  consent: "Consent",
  suppression: "Suppression",
  broadcast: "Broadcast",
};

interface TimelinePageProps {
  contact: { email: string };
  path: string;
  entries: readonly TimelineEntry[];
  stops: readonly string[];
}

const textOf = ({ text, event }: TimelineEntry) =>
  event === undefined ? text : `${text}: ${toText({ id: "", created_at: "", ...event }, "")}`;

/** The page of what happened to a person, in all lists, newest first, and of what stops mail now. */
export const TimelinePage = ({ contact, path, entries, stops }: TimelinePageProps) => (
  <AppLayout title="Timeline">
    <p>
      Of <a href={path}>{contact.email}</a>, in all lists.
    </p>
    {stops.length === 0 ? null : <Notice kind="warn">This person gets {stops.join("; ")}.</Notice>}
    <List
      caption="Timeline"
      columns={["Time", "Kind", "What"]}
      empty={<Empty drawing="people">Nothing has happened yet.</Empty>}
      rows={entries.map((entry) => [
        <Time at={iso(entry.at)} />,
        KINDS[entry.kind],
        entry.path === null ? textOf(entry) : <a href={`/app${entry.path}`}>{textOf(entry)}</a>,
      ])}
    />
  </AppLayout>
);
