import type { TimelineEntry } from "../../../audience/people/index.ts";
import { AppLayout, Empty, List, Time } from "../../../http/ui/index.ts";
import { iso } from "../../../lib/time.ts";

const KINDS: Readonly<Record<TimelineEntry["kind"], string>> = {
  email: "Email",
  event: "Event",
  topic: "Topic",
  run: "Automation",
};

interface TimelinePageProps {
  contact: { email: string };
  /** Path of the page of the contact. */
  path: string;
  entries: readonly TimelineEntry[];
}

/** The page of what happened to a person, in all lists: emails, events, topics and automations, newest first. */
export const TimelinePage = ({ contact, path, entries }: TimelinePageProps) => (
  <AppLayout title="Timeline">
    <p>
      Of <a href={path}>{contact.email}</a>, in all lists.
    </p>
    <List
      caption="Timeline"
      columns={["Time", "Kind", "What"]}
      empty={<Empty drawing="people">Nothing has happened yet.</Empty>}
      rows={entries.map((entry) => [
        <Time at={iso(entry.at)} />,
        KINDS[entry.kind],
        entry.path === null ? entry.text : <a href={`/app${entry.path}`}>{entry.text}</a>,
      ])}
    />
  </AppLayout>
);
