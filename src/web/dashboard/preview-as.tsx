import type { Child } from "hono/jsx";
import type { AppContext } from "../../http/env.ts";
import { respondMailHtml } from "../../http/page.tsx";
import { Field, Form, PreviewFrame, Select, useCaller } from "../../http/ui/index.ts";
import { textAsHtml } from "../../lib/placeholders.ts";
import { CONTACT, mayReadContacts } from "./contact-values.ts";

interface PreviewAsProps {
  /** Path of the page that the frame shows. It gets the fields of the form as its query. */
  src: string;
  /** The page of the form. */
  page: string;
  /** The fields of the form as they are. */
  query: URLSearchParams;
  /** Address of the contact whose values are shown; null: there is none. */
  shown?: string | null;
  children?: Child;
}

/** Shows an email in a frame as a contact of choice gets it, as HTML or as plain text. */
export function PreviewAs({ src, page, query, shown, children }: PreviewAsProps) {
  const address = query.get(CONTACT) ?? "";
  const isUnknown = address !== "" && shown === null;
  return (
    <>
      <PreviewFrame src={`${src}?${query}`} />
      <Form class="filter" method="get" action={page}>
        {mayReadContacts(useCaller()) ? (
          <Field
            name={CONTACT}
            label="As this contact gets it"
            type="email"
            required={false}
            value={address || (shown ?? "")}
            hint="The address of a contact."
            error={isUnknown ? "No contact has this address" : undefined}
          />
        ) : null}
        {children}
        <Select
          name="part"
          label="As"
          options={{ html: "HTML", text: "Plain text" }}
          value={query.get("part") ?? "html"}
        />
        <button class="quiet" type="submit">
          Show
        </button>
      </Form>
    </>
  );
}

/** Returns the part of an email that the form of `PreviewAs` names, for its frame. An email without HTML is its text. */
export const respondPart = (c: AppContext, { html, text }: { html: string | null; text: string | null }) =>
  respondMailHtml(c, c.req.query("part") === "text" || html === null ? textAsHtml(text ?? "") : html);
