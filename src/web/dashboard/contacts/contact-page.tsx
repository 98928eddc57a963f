import type { CallerCtx } from "../../../access/caller.ts";
import type { ContactOut, ListOut } from "../../../audience/contacts/index.ts";
import type { Refusal } from "../../../http/page-form.ts";
import { Field, Form, Layout, TextArea, VersionField } from "../../../http/ui/index.ts";
import { type FormValues, versionOf } from "../../../lib/form-version.ts";
import type { PersonTopicsOut } from "../../../sending/topics/index.ts";
import { PersonTopics } from "./person-topics.tsx";

/** The fields of the form of a contact, as they were filled in. */
export interface ContactForm {
  email: string;
  name: string;
  /** A JSON object. Empty: none. */
  metadata: string;
  /** Of what the form began from. */
  version: string;
}

/** Returns the form of a stored contact. */
export function toContactForm({ email, name, metadata }: ContactOut): ContactForm {
  const details = metadata === null ? "" : JSON.stringify(metadata, null, 2);
  const form = { email, name: name ?? "", metadata: details, version: "" };
  return { ...form, version: versionOf(valuesOf(form)) };
}

/** Returns what the form shows and changes, by label. */
export const valuesOf = ({ email, name, metadata }: ContactForm): FormValues => ({
  Address: email.trim(),
  Name: name,
  Details: metadata.replaceAll("\r\n", "\n"),
});

interface ContactPageProps {
  caller: CallerCtx;
  list: Pick<ListOut, "id" | "name">;
  contact: ContactOut;
  person: PersonTopicsOut;
  form: ContactForm;
  refusal?: Refusal | undefined;
}

/** The page that changes one contact of a list. */
export const ContactPage = ({ caller, list, contact, person, form, refusal }: ContactPageProps) => (
  <Layout title={contact.email} caller={caller} at="/app/contacts">
    <p>
      In the list <a href={`/app/contacts/${list.id}`}>{list.name}</a>.
    </p>
    <Form class="form" action={`/app/contacts/${list.id}/contacts/${contact.id}`} refusal={refusal}>
      <VersionField version={form.version} refusal={refusal} />
      <Field name="email" label="Address" value={form.email} errors={refusal?.errors} maxlength={254} />
      <Field name="name" label="Name" required={false} value={form.name} errors={refusal?.errors} />
      <TextArea
        name="metadata"
        label="Details"
        required={false}
        hint="A JSON object, such as {&quot;city&quot;: &quot;London&quot;}. Broadcasts fill {{city}} in with it."
        value={form.metadata}
        errors={refusal?.errors}
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
    {caller.actor.role === "member" ? null : (
      <section>
        <h2>Person</h2>
        <p>Everything that sending stores about {contact.email}, in all lists.</p>
        <p>
          <a href={`/app/contacts/${list.id}/contacts/${contact.id}/export`}>Export</a>{" "}
          <a href={`/app/contacts/${list.id}/contacts/${contact.id}/erase`}>Erase this person</a>
        </p>
      </section>
    )}
  </Layout>
);
