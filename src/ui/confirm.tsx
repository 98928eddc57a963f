import type { Child } from "hono/jsx";
import { Layout, type PageUser } from "./layout.tsx";

interface ConfirmProps {
  title: string;
  user: PageUser;
  /** Text of the button that does it. Its form posts to the URL of the page. */
  button: string;
  /** Path to return to without doing it. */
  back: string;
  /** What ends or is deleted. */
  children?: Child;
}

/** The page that asks before something is deleted. */
export const ConfirmPage = ({ title, user, button, back, children }: ConfirmProps) => (
  <Layout title={title} user={user}>
    <p>{children}</p>
    <form method="post">
      <button class="danger" type="submit">
        {button}
      </button>{" "}
      <a class="button quiet" href={back}>
        Cancel
      </a>
    </form>
  </Layout>
);
