import { fieldsOf } from "../../../http/form-fields.tsx";
import { AppLayout, ButtonLink, Empty, Form, FormDialog, List, Time, useScope } from "../../../http/ui/index.ts";
import { TopicIn, type TopicOut } from "../../../sending/topics/index.ts";

const { Field, TextArea, Select, Check } = fieldsOf(TopicIn);

const STATES: Readonly<Record<TopicOut["default"], string>> = {
  subscribed: "Subscribed until they leave",
  unsubscribed: "Not subscribed until they join",
};

/** The topics of the workspace, and the dialog that creates one. */
export function TopicsPage({ topics }: { topics: readonly TopicOut[] }) {
  const mayManage = useScope("contacts:manage");
  return (
    <AppLayout title="Topics" actions={mayManage ? <CreateDialog /> : null}>
      <List
        caption="Topics"
        columns={["Topic", "People without a choice", "Shown to recipients", "Created"]}
        empty={
          <Empty drawing="people" command={{ path: "/v1/topics/", body: { name: "Product news", is_public: true } }}>
            No topic yet. With topics, a person can leave one kind of your mail and stay with the others.
          </Empty>
        }
        rows={topics.map(({ id, name, default: state, is_public, created_at }) => [
          mayManage ? <a href={`/app/topics/${id}`}>{name}</a> : name,
          STATES[state],
          is_public ? "On every unsubscribe page" : "In its own mail only",
          <Time at={created_at} />,
        ])}
      />
    </AppLayout>
  );
}

const CreateDialog = () => (
  <FormDialog label="New topic" icon="plus" action="/app/topics" once button="Create topic">
    <Fields topic={{ name: "", description: null, is_public: true }} />
    <Select
      name="default"
      label="People without a choice are"
      hint="This cannot be changed later."
      value="subscribed"
      options={STATES}
    />
  </FormDialog>
);

const Fields = ({ topic }: { topic: Pick<TopicOut, "name" | "description" | "is_public"> }) => (
  <>
    <Field name="name" label="Name" hint="Recipients see it when they unsubscribe." value={topic.name} />
    <TextArea name="description" label="Description" rows={3} value={topic.description ?? ""} />
    <Check name="is_public" label="Offer it on every unsubscribe page" checked={topic.is_public} />
  </>
);

/** The page that changes one topic. */
export const TopicPage = ({ topic }: { topic: TopicOut }) => (
  <AppLayout
    title={topic.name}
    actions={<ButtonLink to={`/app/topics/${topic.id}/delete`} label="Delete" kind="danger" />}
  >
    <Form class="form" action={`/app/topics/${topic.id}`}>
      <Fields topic={topic} />
      <p class="hint">People without a choice: {STATES[topic.default].toLowerCase()}.</p>
      <button type="submit">Save</button>
    </Form>
  </AppLayout>
);
