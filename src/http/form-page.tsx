import type { AppContext, Middleware } from "./env.ts";
import { bodyOf, isMultipart } from "./fields.ts";
import { KeptForm, readKept } from "./kept-form.tsx";
import { respondPage } from "./page.tsx";
import { AppLayout, ButtonLink, ErrorList, FORM_PAGE, Form, Notice } from "./ui/index.ts";

/**
 * The middleware of pages whose forms act in the active workspace: `Form` says for which one its page was made. A form of another
 * workspace, as of a tab that was open when another one switched, changes nothing (docs/contract/sign-in.md#active-workspace).
 */
export const formsOfWorkspace: Middleware = async (c, next) => {
  const { workspace } = c.get("caller");
  const isForm = c.req.method !== "GET" && c.req.method !== "HEAD";
  const page = isForm ? await readFormPage(c) : `${workspace.id} ${pathOf(c)}`;
  const isOurs = page?.split(" ")[0] === workspace.id;
  c.set("formPage", page !== null && isOurs ? page : `${workspace.id} /app`);
  return isOurs ? next() : respondOtherWorkspace(c, page);
};

/** Returns the path of the page, without a search that is long or says what was done. */
function pathOf(c: AppContext): string {
  const { pathname, search } = new URL(c.req.url);
  return search.length > 300 || search.includes("done=") ? pathname : pathname + search;
}

/** Returns the field of the form that says which page it stands on, or null when it has none. */
async function readFormPage(c: AppContext): Promise<string | null> {
  const body = bodyOf(c);
  c.set("bodyStream", body);
  // `Form` puts the field first.
  const start = new TextDecoder().decode((await body.peek())?.subarray(0, 4_096));
  if (!isMultipart(c)) return new URLSearchParams(start).get(FORM_PAGE) || null;
  return new RegExp(`name="${FORM_PAGE}"\r\n\r\n([^\r]+)\r\n`).exec(start)?.[1] ?? null;
}

/** Returns the page that says in which workspace the user is, keeps what was entered, and leads on in either workspace. */
async function respondOtherWorkspace(c: AppContext, page: string | null): Promise<Response> {
  const caller = c.get("caller");
  const { name } = caller.workspace;
  const [id = "", next = ""] = page?.split(" ") ?? [];
  const theirs = caller.frame?.workspaces.find((one) => one.id === id)?.name;
  const kept = await readKept(c);
  const isFilled = kept.fields.some(([field]) => field !== "idempotency_key");
  const reason = page === null ? "does not say for which workspace it is" : `is for ${theirs ?? "another workspace"}`;
  const element = (
    <AppLayout title="Nothing was saved or sent" at="">
      <Notice kind="bad">
        This form {reason}, and you are in {name} now.
      </Notice>
      {theirs !== undefined && isFilled ? (
        <p>
          What you have entered is kept here: switch, which opens a new tab, then come back and send the form again.
        </p>
      ) : null}
      <ErrorList errors={kept.lost} />
      <div class="actions">
        {theirs === undefined ? null : (
          <Form action="/auth/workspace" target={isFilled ? "_blank" : undefined} fields={{ org_id: id, next }}>
            <button type="submit">Switch to {theirs}</button>
          </Form>
        )}
        {page === null ? <KeptForm kept={kept} button={`Send it in ${name}`} /> : null}
        {theirs !== undefined && isFilled ? <KeptForm kept={kept} button="Send the form again" kind="quiet" /> : null}
        <ButtonLink to="/app" label={`Go on in ${name}`} kind="quiet" />
      </div>
    </AppLayout>
  );
  return respondPage(c, element, { status: 409 });
}
