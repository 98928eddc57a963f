import type { CallerCtx, ListRange } from "../../../access/caller.ts";
import type { AppContext } from "../../../http/env.ts";
import { readPage, respondPage } from "../../../http/page.tsx";
import { readTime } from "../../../http/time-field.ts";
import { AppLayout, Empty, Form, List, Select, Submit, Time, TimeField, toSentence } from "../../../http/ui/index.ts";
import {
  type AuditEntryOut,
  type AuditFilter,
  type AuditRow,
  toAuditEntry,
} from "../../../identity/workspaces/index.ts";
import { actions } from "../../../platform/audit/actions.ts";
import { furtherValuesOf, sentenceOf } from "./sentences.ts";

interface Person {
  userId: string;
  email: string;
}

const KINDS = [...new Set<string>(Object.values(actions))].sort();

interface ShownLog {
  title: string;
  path: string;
  read: (caller: CallerCtx, page: ListRange & AuditFilter) => Promise<AuditRow[]>;
  /** Returns the people of whom one may be chosen. Without it the log is not filtered by who did it. */
  readPeople?: (caller: CallerCtx) => Promise<readonly Person[]>;
}

/** Shows a page of an audit log, filtered by what the URL names. */
export async function showAudit(c: AppContext, { title, path, read, readPeople }: ShownLog) {
  const query = new URL(c.req.url).searchParams;
  const chosen = { by: query.get("by") ?? "", kind: query.get("kind") ?? "", before: readTime(query, "before") };
  const before = Date.parse(chosen.before);
  const filter = { userId: chosen.by, kind: chosen.kind, before: Number.isNaN(before) ? undefined : before };
  const kept = new URLSearchParams([...query].filter(([name, value]) => name !== "after" && value !== ""));
  const isFiltered = Object.values(chosen).some((value) => value !== "");
  const [people = [], { rows, next }] = await Promise.all([
    readPeople?.(c.get("caller")),
    readPage(c, {
      path: kept.size === 0 ? path : `${path}?${kept}`,
      read: (caller, page) => read(caller, { ...page, ...filter }),
      after: ({ id }) => id,
    }),
  ]);
  return respondPage(
    c,
    <AppLayout title={title}>
      <Filter path={path} people={people} chosen={chosen} />
      <AuditList entries={rows.map(toAuditEntry)} isFiltered={isFiltered} />
    </AppLayout>,
    { next },
  );
}

interface FilterProps {
  path: string;
  people: readonly Person[];
  chosen: { by: string; kind: string; before: string };
}

const Filter = ({ path, people, chosen }: FilterProps) => (
  <Form class="filter" method="get" action={path}>
    {people.length === 0 ? null : (
      <Select
        name="by"
        label="Who"
        required={false}
        value={chosen.by}
        none="Anyone"
        options={people.map(({ userId, email }) => ({ value: userId, label: email }))}
      />
    )}
    <Select
      name="kind"
      label="About"
      required={false}
      value={chosen.kind}
      none="Everything"
      options={KINDS.map((value) => ({ value, label: toSentence(value) }))}
    />
    <TimeField name="before" label="Before" hint="Empty: up to now." at={chosen.before} />
    <Submit label="Filter" kind="quiet" />
  </Form>
);

const AuditList = ({ entries, isFiltered }: { entries: readonly AuditEntryOut[]; isFiltered: boolean }) => (
  <List
    caption="Audit log"
    kind="audit"
    columns={["Time", "What", "From"]}
    empty={<Empty>{isFiltered ? "Nothing of this kind in the last 5,000 entries." : "Nothing was changed yet."}</Empty>}
    rows={entries.map((entry) => [<Time at={entry.at} />, <Sentence entry={entry} />, entry.ip ?? ""])}
  />
);

function Sentence({ entry }: { entry: AuditEntryOut }) {
  const further = furtherValuesOf(entry);
  return (
    <>
      <strong>{entry.actor?.email ?? "The service"}</strong> {sentenceOf(entry)}
      {further === "" ? null : <p class="soft">{further}</p>}
    </>
  );
}
