import { Form, Layout, useTexts } from "../../http/ui/index.ts";
import type { MailWords } from "./words.ts";

/** The page with the button that confirms. Loading it changes nothing: link scanners load it too. */
export const AskPage = ({ list, text, button }: MailWords) => (
  <Layout title={list}>
    <p>{text}</p>
    <Form>
      <button type="submit" class="wide">
        {button}
      </button>
    </Form>
  </Layout>
);

export const ConfirmedPage = ({ list, workspace }: MailWords) => (
  <Layout title={useTexts().confirmed}>
    <p>{useTexts().confirmedText(workspace, list)}</p>
  </Layout>
);

export const ExpiredPage = () => (
  <Layout title={useTexts().expired}>
    <p>{useTexts().expiredText}</p>
  </Layout>
);
