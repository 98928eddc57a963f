import type { Child } from "hono/jsx";
import type { CallerCtx } from "../../access/caller.ts";
import { ButtonLink, Form } from "./form.tsx";
import { Layout } from "./layout.tsx";

interface ConfirmProps {
  title: string;
  caller: CallerCtx;
  /** Text of the button that does it. Its form posts to the URL of the page. */
  button: string;
  /** Path to return to without doing it. */
  back: string;
  /** Path of the page in the menu. */
  at?: string;
  /** True when something is deleted or ends. Default true. */
  isFinal?: boolean;
  /** Hidden fields. */
  fields?: Readonly<Record<string, string>>;
  /** Names the things that end or are deleted. */
  children?: Child;
}

/** The page that asks before something is deleted or sent. */
export const ConfirmPage = ({
  title,
  caller,
  button,
  back,
  at,
  isFinal = true,
  fields = {},
  children,
}: ConfirmProps) => (
  <Layout title={title} caller={caller} at={at ?? back}>
    <p>{children}</p>
    <Form class="actions" fields={fields}>
      <button class={isFinal ? "danger final" : undefined} type="submit">
        {button}
      </button>
      <ButtonLink to={back} label="Cancel" kind="quiet" />
    </Form>
  </Layout>
);
