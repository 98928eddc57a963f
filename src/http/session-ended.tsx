import type { AppContext } from "./env.ts";
import { readKept, StepThenForm } from "./kept-form.tsx";
import { respondPage } from "./page.tsx";
import { Layout } from "./ui/index.ts";

/** Returns the page that keeps a form, which must be of this site, while a person signs in in another tab. Throws 429 without memory. */
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
