import { Form, Layout } from "../../http/ui/index.ts";
import type { Preferences, ShownTopic } from "./preferences.ts";

/** Values of the field `action` of the forms. A form without it is the one-click unsubscribe. */
export const actions = { topic: "topic", save: "save", all: "all" } as const;

/**
 * Returns the page behind an unsubscribe link. Loading it changes nothing: link scanners load it too (RFC 8058 3.1). It works without
 * scripts. `done`: what the recipient has just done.
 */
export function preferencesPage(preferences: Preferences, done: string | null) {
  const { topic, topics, isUnsubscribed } = preferences;
  if (topics.length === 0 && done === null) return confirmPage();
  const isSubscribed = topic !== null && topic.state === "subscribed" && !isUnsubscribed;
  return (
    <Layout title={done ?? (isSubscribed ? `Unsubscribe from ${topic.name}?` : "Which emails do you want?")}>
      <div class="stack">
        {isUnsubscribed ? <p>You are unsubscribed from all mailings of this sender.</p> : null}
        {isSubscribed && done === null ? <LeaveForm topic={topic} /> : null}
        {topics.some(({ isPublic }) => isPublic) ? <TopicsForm {...preferences} /> : null}
        {isUnsubscribed ? null : <LeaveAllForm />}
      </div>
    </Layout>
  );
}

const LeaveForm = ({ topic }: { topic: ShownTopic }) => (
  <Form fields={{ action: actions.topic }}>
    {topic.description === null ? null : <p>{topic.description}</p>}
    <button type="submit">Unsubscribe from {topic.name}</button>
  </Form>
);

/** The boxes of topics. An internal topic is shown while it can be left. */
function TopicsForm({ topics, isUnsubscribed }: Preferences) {
  const offered = topics.filter(({ isPublic, state }) => isPublic || state === "subscribed");
  return (
    <Form fields={{ action: actions.save }}>
      <fieldset>
        <legend>Your topics</legend>
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
      {isUnsubscribed ? <p class="hint">With a topic you choose, this sender may send you mailings again.</p> : null}
      <button class="wide" type="submit">
        Save my choice
      </button>
    </Form>
  );
}

const LeaveAllForm = () => (
  <Form fields={{ action: actions.all }}>
    <button class="quiet wide" type="submit">
      Unsubscribe from all mailings
    </button>
  </Form>
);

const confirmPage = () => (
  <Layout title="Unsubscribe?">
    <p>This sender will send no more mailings to your address.</p>
    <Form>
      <button type="submit">Unsubscribe</button>
    </Form>
  </Layout>
);

/** Returns the page after a one-click unsubscribe. `topic`: the name of the topic that it ended; null: all mail. */
export const donePage = (topic: string | null) => (
  <Layout title="You are unsubscribed">
    <p>
      {topic === null
        ? "This sender will send no more mailings to your address."
        : `This sender will send no more emails about ${topic} to your address.`}
    </p>
  </Layout>
);

export const invalidLinkPage = () => (
  <Layout title="This link does not work">
    <p>The link is incomplete, or the email is too old.</p>
  </Layout>
);
