import { Form, Layout, useTexts } from "../../http/ui/index.ts";
import type { Preferences, ShownTopic } from "./preferences.ts";

/** Values of the field `action` of the forms. A form without it is the one-click unsubscribe. */
export const actions = { topic: "topic", save: "save", all: "all" } as const;

interface PreferencesProps extends Preferences {
  /** The choice that the recipient has just made. */
  done: "saved" | "left" | null;
}

/** The page behind an unsubscribe link. Loading it changes nothing: link scanners load it too (RFC 8058 3.1). It works without scripts. */
export function PreferencesPage(props: PreferencesProps) {
  const { topic, topics, isUnsubscribed, done } = props;
  const texts = useTexts();
  if (topics.length === 0 && done === null) return <ConfirmPage />;
  const isSubscribed = topic !== null && topic.state === "subscribed" && !isUnsubscribed;
  const title = isSubscribed ? `${texts.leaveTopic(topic.name)}?` : texts.choose;
  return (
    <Layout title={done === null ? title : texts[done]}>
      <div class="stack">
        {isUnsubscribed ? <p>{texts.leftAll}</p> : null}
        {isSubscribed && done === null ? <LeaveForm topic={topic} /> : null}
        {topics.some(({ isPublic }) => isPublic) ? <TopicsForm {...props} /> : null}
        {isUnsubscribed ? null : <LeaveAllForm />}
      </div>
    </Layout>
  );
}

const LeaveForm = ({ topic }: { topic: ShownTopic }) => (
  <Form fields={{ action: actions.topic }}>
    {topic.description === null ? null : <p>{topic.description}</p>}
    <button type="submit">{useTexts().leaveTopic(topic.name)}</button>
  </Form>
);

/** The boxes of topics. An internal topic is shown while it can be left. */
function TopicsForm({ topics, isUnsubscribed }: Preferences) {
  const texts = useTexts();
  const offered = topics.filter(({ isPublic, state }) => isPublic || state === "subscribed");
  return (
    <Form fields={{ action: actions.save }}>
      <fieldset>
        <legend>{texts.topics}</legend>
        {offered.map(({ id, name, description, state }) => (
          <div>
            <input type="hidden" name="shown" value={id} />
            <label class="choice">
              <input type="checkbox" name="topic" value={id} checked={state === "subscribed" && !isUnsubscribed} />
              <span>{name}</span>
            </label>
            {description === null ? null : <p class="hint">{description}</p>}
          </div>
        ))}
      </fieldset>
      {isUnsubscribed ? <p class="hint">{texts.rejoin}</p> : null}
      <button class="wide" type="submit">
        {texts.save}
      </button>
    </Form>
  );
}

const LeaveAllForm = () => (
  <Form fields={{ action: actions.all }}>
    <button class="quiet wide" type="submit">
      {useTexts().leaveAll}
    </button>
  </Form>
);

function ConfirmPage() {
  const texts = useTexts();
  return (
    <Layout title={`${texts.leave}?`}>
      <p>{texts.leaveText}</p>
      <Form>
        <button type="submit">{texts.leave}</button>
      </Form>
    </Layout>
  );
}
