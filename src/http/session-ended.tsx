import type { Context } from "hono";
import { RequestTooLargeError } from "../lib/errors.ts";
import { BodyBudget, smallBodyLimits, UNKNOWN_CALLER } from "./body-budget.ts";
import type { AppEnv } from "./env.ts";
import { readBytes } from "./fields.ts";
import { respondPage } from "./page.tsx";
import { ErrorList, Layout } from "./ui/index.ts";

/** Greatest form that is kept, in bytes and fields: the longest texts of pages, percent-encoded. */
const MAX_BYTES = 3_000_000;
const MAX_FIELDS = 2_000;
/** Memory of a form: as it comes, its fields, and the page. */
const COPIES = 4;
/** An isolate keeps few forms at a time, because their senders are not known. */
const MEMORY = 12_000_000;
const forms = new BodyBudget({ ...smallBodyLimits, total: MEMORY, perWorkspace: MEMORY, unknownCallers: MEMORY });

/** Fields that a page does not write: a password manager has them. */
const isSecret = (name: string) => /password|code$/.test(name);

interface KeptForm {
  fields: [string, string][];
  /** Messages about content that is not kept. */
  lost: string[];
}

/**
 * Returns the page for a form that comes after the end of its session. It holds what was entered, so that a person signs in
 * in another tab and sends the form again. The caller has checked that the form is of this site. Throws 429 when the isolate
 * has no memory for the form.
 */
export async function respondSessionEnded(c: Context<AppEnv>, signInPath: string): Promise<Response> {
  const { fields, lost } = await readKept(c);
  const { pathname, search } = new URL(c.req.url);
  const isMultipart = (c.req.header("Content-Type") ?? "").startsWith("multipart/");
  const page = (
    <Layout title="Your session has ended">
      <p>Nothing was saved or sent. This page keeps what you have entered.</p>
      <ErrorList errors={lost} />
      <ol>
        <li>
          <a href={signInPath} target="_blank" rel="noopener">
            Sign in in a new tab
          </a>
          .
        </li>
        <li>Come back to this tab and send the form again.</li>
      </ol>
      <form method="post" action={pathname + search} enctype={isMultipart ? "multipart/form-data" : undefined}>
        {fields.map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <button type="submit">Send the form again</button>
      </form>
    </Layout>
  );
  return respondPage(c, page, { status: 401 });
}

async function readKept(c: Context<AppEnv>): Promise<KeptForm> {
  const hold = forms.open(UNKNOWN_CALLER);
  try {
    await hold.growTo(COPIES * Math.min(MAX_BYTES, Number(c.req.header("Content-Length") ?? MAX_BYTES)));
    const bytes = await readBytes(c, MAX_BYTES);
    const body = new Response(bytes, { headers: { "Content-Type": c.req.header("Content-Type") ?? "" } });
    const entries = [...(await body.formData())];
    const files = entries.filter(([, value]) => typeof value !== "string" && value.size > 0);
    const texts = entries.flatMap(([name, value]): [string, string][] =>
      typeof value === "string" ? [[name, value]] : [],
    );
    const lost = [
      ...(files.length > 0 ? ["The chosen files are not kept. Choose them again afterwards."] : []),
      ...(texts.some(([name]) => isSecret(name)) ? ["A password or code is not kept. Enter it again afterwards."] : []),
    ];
    return { fields: texts.filter(([name]) => !isSecret(name)).slice(0, MAX_FIELDS), lost };
  } catch (error) {
    if (!(error instanceof RequestTooLargeError) && !(error instanceof TypeError)) throw error;
    return { fields: [], lost: ["The form is too large or malformed and cannot be kept."] };
  } finally {
    hold.free();
  }
}
