import { ContactIn, type ContactOut, type ListOut } from "../../../audience/contacts/index.ts";
import { fieldsOf } from "../../../http/form-fields.tsx";
import { AppLayout, Form, useCaller, VersionField } from "../../../http/ui/index.ts";
import { type FormValues, versionOf } from "../../../lib/form-version.ts";
import type { PersonTopicsOut } from "../../../sending/topics/index.ts";
import { PersonTopics } from "./person-topics.tsx";

const { Field, TextArea } = fieldsOf(ContactIn);

/** The values of the form of a contact. */
export interface ContactValues {
  email: string;
  name: string;
  /** A JSON object. Empty: none. */
  metadata: string;
}

/** Returns the values of a stored contact. */
export const toValues = ({ email, name, metadata }: ContactOut): ContactValues => ({
  email,
  name: name ?? "",
  metadata: metadata === null ? "" : JSON.stringify(metadata, null, 2),
});

/** Returns what the form shows and changes, by label. */
export const labelled = ({ email, name, metadata }: ContactValues): FormValues => ({
  Address: email.trim(),
  Name: name,
  Details: metadata.replaceAll("\r\n", "\n"),
});

interface ContactPageProps {
  list: Pick<ListOut, "id" | "name">;
  contact: ContactOut;
  person: PersonTopicsOut;
}

/** The page that changes one contact of a list. */
export function ContactPage({ list, contact, person }: ContactPageProps) {
  const values = toValues(contact);
  return (
    <AppLayout title={contact.email}>
      <p>
        In the list <a href={`/app/contacts/${list.id}`}>{list.name}</a>.
      </p>
      <Form class="form" action={`/app/contacts/${list.id}/contacts/${contact.id}`}>
        <VersionField version={versionOf(labelled(values))} />
        <Field name="email" label="Address" value={values.email} />
        <Field name="name" label="Name" value={values.name} />
        <TextArea
          name="metadata"
          label="Details"
          hint="A JSON object, such as {&quot;city&quot;: &quot;London&quot;}. Broadcasts fill {{city}} in with it."
          value={values.metadata}
          code
        />
        <button type="submit">Save</button>
      </Form>
      <p>
        <a href={`/app/contacts/${list.id}/contacts/${contact.id}/timeline`}>Timeline of this person</a>
      </p>
      {person.topics.length === 0 ? null : (
        <PersonTopics path={`/app/contacts/${list.id}/contacts/${contact.id}/topics`} person={person} />
      )}
      {useCaller().actor.role === "member" ? null : (
        <section>
          <h2>Person</h2>
          <p>Everything that sending stores about {contact.email}, in all lists.</p>
          <p>
            <a href={`/app/contacts/${list.id}/contacts/${contact.id}/export`}>Export</a>{" "}
            <a href={`/app/contacts/${list.id}/contacts/${contact.id}/erase`}>Erase this person</a>
          </p>
        </section>
      )}
    </AppLayout>
  );
}
