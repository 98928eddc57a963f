import type { Child } from "hono/jsx";
import { ButtonLink, Submit } from "./buttons.tsx";
import { Form } from "./form.tsx";
import { AppLayout } from "./layout.tsx";

interface ConfirmProps {
  title: string;
  /** Text of the button that does it. Its form posts to the URL of the page. */
  button: string;
  /** Path to return to without doing it. */
  back: string;
  /** True when something is deleted or ends. Default true. */
  isFinal?: boolean | undefined;
  once?: boolean;
  fields?: Readonly<Record<string, string>>;
  /** Fields of the form, before its button. */
  choices?: Child;
  /** Names the things that end or are deleted. */
  children?: Child;
}

/** The page that asks before something is deleted or sent. */
export const ConfirmPage = ({ title, button, back, isFinal = true, choices, children, ...form }: ConfirmProps) => (
  <AppLayout title={title}>
    <p>{children}</p>
    <Form class="form" {...form}>
      {choices}
      <div class="actions">
        <Submit label={button} kind={isFinal ? "danger final" : undefined} />
        <ButtonLink to={back} label="Cancel" kind="quiet" />
      </div>
    </Form>
  </AppLayout>
);
