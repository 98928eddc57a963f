import type { Child } from "hono/jsx";
import { Layout } from "./layout.tsx";
import type { PageUser } from "./menu.tsx";

interface ConfirmProps {
  title: string;
  user: PageUser;
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
export const ConfirmPage = ({ title, user, button, back, at, isFinal = true, fields = {}, children }: ConfirmProps) => (
  <Layout title={title} user={user} at={at ?? back}>
    <p>{children}</p>
    <form method="post" class="actions">
      {Object.entries(fields).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <button class={isFinal ? "danger final" : undefined} type="submit">
        {button}
      </button>
      <a class="button quiet" href={back}>
        Cancel
      </a>
    </form>
  </Layout>
);
