import { type SegmentOut, type SegmentRow, toCount } from "../../../audience/segments/index.ts";
import {
  AppLayout,
  ButtonLink,
  Empty,
  Facts,
  Field,
  Form,
  LinkLine,
  List,
  Live,
  PostButton,
  Time,
  useScope,
  useViewer,
  VersionField,
} from "../../../http/ui/index.ts";
import { iso } from "../../../lib/time.ts";
import {
  type ConditionChoices,
  ConditionFields,
  DefaultButton,
  type DraftGroup,
  describeCondition,
  KnownNames,
  type Names,
  Sentences,
} from "../conditions/index.ts";

const AT = "/app/segments";
/** Characters of conditions in a row of the list. */
const SHOWN = 120;

const mayManage = () => useScope("contacts:manage");
const number = (count: number) => count.toLocaleString("en");

/** The segments of the workspace. */
export const SegmentsPage = ({ segments, names }: { segments: readonly SegmentRow[]; names: Names }) => (
  <AppLayout
    title="Segments"
    actions={mayManage() ? <ButtonLink to={`${AT}/new`} label="New segment" icon="plus" /> : null}
  >
    {segments.length === 0 ? (
      <Empty
        drawing="people"
        command={{
          path: "/v1/segments/",
          body: { name: "Gold", conditions: { field: "plan", is: "equals", value: "gold" } },
        }}
      >
        No segment yet. A segment is the people of all lists who pass conditions; a broadcast or an automation can use
        it.
      </Empty>
    ) : (
      <Live id="segments" isPolled={segments.some(({ count }) => count?.status === "counting")}>
        <List
          caption="Segments"
          columns={["Segment", "The person", "People", "Changed"]}
          live={{ name: "segment", ids: segments.map(({ id }) => id) }}
          rows={segments.map((segment) => [
            <a href={`${AT}/${segment.id}`}>{segment.name}</a>,
            shorten(describeCondition(segment.conditions, names)),
            <People of={segment} />,
            <Time at={iso(segment.updatedAt)} />,
          ])}
        />
      </Live>
    )}
  </AppLayout>
);

const shorten = (text: string) => {
  const characters = Array.from(text);
  return characters.length <= SHOWN ? text : `${characters.slice(0, SHOWN).join("")}…`;
};

const People = ({ of: { count } }: { of: SegmentRow }) => {
  if (count === null) return <>Not counted</>;
  if (count.status === "done") return <>{number(count.count)}</>;
  return (
    <>
      {number(count.count)} so far, {percentOf(count)} % evaluated
    </>
  );
};

/** A person in several lists is several contacts of the total, so that a count may end before it. */
const percentOf = ({ evaluated, total }: { evaluated: number; total: number }) =>
  Math.min(99, Math.floor((100 * evaluated) / Math.max(total, 1)));

/** One segment: its conditions, its count with the progress, and some of its people. */
export function SegmentPage({ segment, names }: { segment: SegmentRow; names: Names }) {
  const path = `${AT}/${segment.id}`;
  const { activitySince } = segment;
  return (
    <AppLayout
      title={segment.name}
      actions={
        <>
          <PostButton to={`${path}/count`} label="Count again" kind="quiet" />
          {mayManage() ? <ButtonLink to={`${path}/edit`} label="Edit" /> : null}
          {mayManage() ? <ButtonLink to={`${path}/delete`} label="Delete" kind="danger" /> : null}
        </>
      }
    >
      <h2>Conditions</h2>
      <Sentences of={segment.conditions} names={names} />
      {activitySince === null ? null : (
        <p class="hint">
          Mail that was received, opened or clicked is counted since <Time at={iso(activitySince)} />.
        </p>
      )}
      <h2>People</h2>
      <Live id="segment-count" isPolled={segment.count?.status === "counting"}>
        <Count of={segment} path={path} />
      </Live>
    </AppLayout>
  );
}

function Count({ of, path }: { of: SegmentRow; path: string }) {
  if (of.count === null)
    return <p>The people are not counted since the conditions were changed. Press “Count again”.</p>;
  const { status, count, evaluated, total, counted_at, sample } = toCount(of.count);
  return (
    <>
      <Facts
        of={{
          People: status === "done" ? number(count) : `${number(count)} so far`,
          Evaluated: status === "done" ? null : `${number(evaluated)} of ${number(total)} contacts`,
          Counted: counted_at === null ? null : <Time at={counted_at} />,
        }}
      />
      <PeopleList
        caption="Some of the people"
        contacts={sample}
        empty={status === "done" ? "No person passes the conditions." : "No person found yet."}
      />
      {sample.length === 0 ? null : <ButtonLink to={`${path}/people`} label="All people" kind="quiet" />}
    </>
  );
}

interface PeopleListProps {
  caption: string;
  contacts: readonly { id: string; list_id: string; email: string; name: string | null }[];
  /** Stands in place of a list without people. */
  empty: string;
}

const PeopleList = ({ caption, contacts, empty }: PeopleListProps) => (
  <List
    caption={caption}
    columns={["Address", "Name"]}
    empty={<p class="soft">{empty}</p>}
    rows={contacts.map(({ id, list_id, email, name }) => [
      <a href={`/app/contacts/${list_id}/contacts/${id}`}>{email}</a>,
      name ?? "",
    ])}
  />
);

/** The people of a segment, by page. A page may be short or empty and have a next one. */
export const PeoplePage = ({ segment, contacts }: Pick<PeopleListProps, "contacts"> & { segment: SegmentOut }) => (
  <AppLayout title={`People of ${segment.name}`}>
    <LinkLine to={`${AT}/${segment.id}`} label={segment.name} />
    <PeopleList
      caption="People"
      contacts={contacts}
      empty={useViewer().next ? "No person on this page. There may be some on the next." : "No person."}
    />
  </AppLayout>
);

interface FormProps {
  /** Null: a new one. */
  segment: SegmentRow | null;
  /** Of what the form begins from; empty for a new segment. */
  version: string;
  draft: DraftGroup;
  choices: ConditionChoices;
}

/** The form of a new segment, or of one that is changed. */
export const SegmentFormPage = ({ segment, version, draft, choices }: FormProps) => (
  <AppLayout title={segment ? `Edit ${segment.name}` : "New segment"}>
    <Form class="form" action={segment ? `${AT}/${segment.id}/edit` : `${AT}/new`} once>
      <DefaultButton />
      <KnownNames of={choices.known} />
      <VersionField version={version} />
      <Field name="name" label="Name" value={segment?.name ?? ""} maxlength={200} />
      <ConditionFields
        name="conditions"
        legend="Conditions"
        hint="A person is an address in one list or several. Texts are compared without letter case."
        draft={draft}
        choices={choices}
      />
      <button type="submit">Save segment</button>
    </Form>
  </AppLayout>
);
