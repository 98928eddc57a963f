import type { AppContext } from "./env.ts";
import { readKept, StepThenForm } from "./kept-form.tsx";
import { respondPage } from "./page.tsx";
import { Layout } from "./ui/index.ts";

/**
 * Returns the page for a form that comes after the end of its session. It holds what was entered, so that a person signs in in another tab
 * and sends the form again. The caller has checked that the form is of this site. Throws 429 when the isolate has no memory for the form.
 */
export async function respondSessionEnded(c: AppContext, signInPath: string): Promise<Response> {
  const kept = await readKept(c);
  const page = (
    <Layout title="Your session has ended">
      <p>Nothing was saved or sent. This page keeps what you have entered.</p>
      <StepThenForm kept={kept} to={signInPath} label="Sign in" />
    </Layout>
  );
  return respondPage(c, page, { status: 401 });
}
