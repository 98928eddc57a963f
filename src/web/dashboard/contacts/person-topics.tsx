import { Form, List, Options, Submit } from "../../../http/ui/index.ts";
import type { PersonTopicsOut } from "../../../sending/topics/index.ts";

const OPTIONS = { subscribed: "Subscribed", unsubscribed: "Unsubscribed" };

/** Name of the field with the choice of a topic. */
export const fieldOfTopic = (id: string) => `topic.${id}`;

/** The topics of a contact's person, with their choices. They count in every list. `path`: of the form that sets them. */
export const PersonTopics = ({ path, person }: { path: string; person: PersonTopicsOut }) => (
  <section>
    <h2>Topics</h2>
    <p>
      {person.unsubscribed_from_all
        ? "This person has unsubscribed from all mailings, so no topic mails them."
        : "The choices of this person, in every list. Change one only when the person asked for it."}
    </p>
    <Form action={path}>
      <List
        caption="Topics of this person"
        columns={["Topic", "Choice", "Default"]}
        rows={person.topics.map(({ id, name, choice, default: state }) => [
          name,
          <select class="short" name={fieldOfTopic(id)} aria-label={`Choice about ${name}`}>
            <Options options={OPTIONS} none="No choice" value={choice ?? ""} />
          </select>,
          state,
        ])}
      />
      <Submit label="Save topics" kind="quiet" />
    </Form>
  </section>
);
