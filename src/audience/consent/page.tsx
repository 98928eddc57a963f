import { Form, Layout } from "../../http/ui/index.ts";
import type { MailWords } from "./rules.ts";

/** Returns the page with the button that confirms. Loading it changes nothing: link scanners load it too. */
export const askPage = ({ list, workspace, text, button }: MailWords) => (
  <Layout title={list}>
    <p>{text}</p>
    <p>The emails come from {workspace}.</p>
    <Form>
      <button type="submit" class="wide">
        {button}
      </button>
    </Form>
  </Layout>
);

export const confirmedPage = ({ list, workspace }: MailWords) => (
  <Layout title="You have confirmed">
    <p>
      You get the emails of {workspace} to the list {list}. Each of them has a link with which you can unsubscribe.
    </p>
  </Layout>
);

export const expiredPage = () => (
  <Layout title="This link has expired">
    <p>It worked for 7 days. Fill in the form again to get a new one.</p>
  </Layout>
);

export const brokenLinkPage = () => (
  <Layout title="This link does not work">
    <p>The link is incomplete, or you are no longer on the list.</p>
  </Layout>
);
