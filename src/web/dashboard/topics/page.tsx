import type { CallerCtx } from "../../../access/caller.ts";
import type { Refusal } from "../../../http/page-form.ts";
import {
  ButtonLink,
  Check,
  Dialog,
  Empty,
  Field,
  Form,
  Layout,
  List,
  Select,
  TextArea,
  Time,
} from "../../../http/ui/index.ts";
import type { TopicOut } from "../../../sending/topics/index.ts";
import { curlLine } from "../curl-line.ts";

/** The fields of the form of a topic, as they were filled in. */
export interface TopicForm {
  name: string;
  description: string;
  default: string;
  isPublic: boolean;
  idempotencyKey: string;
}

interface PageProps {
  caller: CallerCtx;
  form: TopicForm;
  refusal?: Refusal | undefined;
}

const STATES: Readonly<Record<TopicOut["default"], string>> = {
  subscribed: "Subscribed until they leave",
  unsubscribed: "Not subscribed until they join",
};

/** The topics of the workspace, and the dialog that creates one. */
export function TopicsPage(props: PageProps & { topics: readonly TopicOut[]; notice?: string | undefined }) {
  const { caller, topics, notice } = props;
  const mayManage = caller.actor.scopes.has("contacts:manage");
  return (
    <Layout
      title="Topics"
      caller={caller}
      at="/app/topics"
      actions={mayManage ? <CreateDialog {...props} /> : null}
      notice={notice}
    >
      {topics.length === 0 ? (
        <Empty drawing="people" command={curlLine(caller, "/v1/topics/", { name: "Product news", is_public: true })}>
          No topic yet. With topics, a person can leave one kind of your mail and stay with the others.
        </Empty>
      ) : (
        <List
          caption="Topics"
          columns={["Topic", "People without a choice", "Shown to recipients", "Created"]}
          rows={topics.map(({ id, name, default: state, is_public, created_at }) => [
            mayManage ? <a href={`/app/topics/${id}`}>{name}</a> : name,
            STATES[state],
            is_public ? "On every unsubscribe page" : "In its own mail only",
            <Time at={created_at} />,
          ])}
        />
      )}
    </Layout>
  );
}

const CreateDialog = ({ form, refusal }: PageProps) => (
  <Dialog label="New topic" icon="plus" isOpen={refusal !== undefined}>
    <Form action="/app/topics" once={form.idempotencyKey} refusal={refusal}>
      <Fields form={form} refusal={refusal} />
      <Select
        name="default"
        label="People without a choice are"
        hint="This cannot be changed later."
        value={form.default}
        errors={refusal?.errors}
        options={Object.entries(STATES).map(([value, label]) => ({ value, label }))}
      />
      <button type="submit">Create topic</button>
    </Form>
  </Dialog>
);

const Fields = ({ form, refusal }: Pick<PageProps, "form" | "refusal">) => (
  <>
    <Field
      name="name"
      label="Name"
      hint="Recipients see it when they unsubscribe."
      value={form.name}
      errors={refusal?.errors}
      maxlength={200}
    />
    <TextArea
      name="description"
      label="Description"
      required={false}
      rows={3}
      value={form.description}
      errors={refusal?.errors}
    />
    <Check name="is_public" label="Offer it on every unsubscribe page" checked={form.isPublic} />
  </>
);

/** The page that changes one topic. */
export const TopicPage = ({ caller, topic, form, refusal }: PageProps & { topic: TopicOut }) => (
  <Layout
    title={topic.name}
    caller={caller}
    at="/app/topics"
    actions={<ButtonLink to={`/app/topics/${topic.id}/delete`} label="Delete" kind="danger" />}
  >
    <Form class="form" action={`/app/topics/${topic.id}`} refusal={refusal}>
      <Fields form={form} refusal={refusal} />
      <p class="hint">People without a choice: {STATES[topic.default].toLowerCase()}.</p>
      <button type="submit">Save</button>
    </Form>
  </Layout>
);
