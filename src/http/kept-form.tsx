import { RequestTooLargeError } from "../lib/errors.ts";
import { BodyBudget, smallBodyLimits, UNKNOWN_CALLER } from "./body-budget.ts";
import type { AppContext } from "./env.ts";
import { isMultipart, readBytes } from "./fields.ts";
import { ErrorList, FORM_PAGE, Form, Submit } from "./ui/index.ts";

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

interface Kept {
  action: string;
  enctype: "multipart/form-data" | undefined;
  /** The page that it stood on. */
  page: string | undefined;
  fields: [string, string][];
  /** Messages about content that is not kept. */
  lost: string[];
}

/** A button that sends a kept form again. */
export const KeptForm = ({ kept, button, kind }: { kept: Kept; button: string; kind?: "quiet" | undefined }) => (
  <Form action={kept.action} enctype={kept.enctype} page={kept.page}>
    {kept.fields.map(([name, value]) => (
      <input type="hidden" name={name} value={value} />
    ))}
    <Submit label={button} kind={kind} />
  </Form>
);

/** Says what is not kept of a form, and how to send it again after a step in another tab. */
export const StepThenForm = ({ kept, to, label }: { kept: Kept; to: string; label: string }) => (
  <>
    <ErrorList errors={kept.lost} />
    <ol>
      <li>
        <a href={to} target="_blank" rel="noopener">
          {label} in a new tab
        </a>
        .
      </li>
      <li>Come back to this tab and send the form again.</li>
    </ol>
    <KeptForm kept={kept} button="Send the form again" />
  </>
);

/** Returns a form of which a handler has read the fields. */
export const keptOf = (c: AppContext, fields: URLSearchParams): Kept => ({
  action: pathOf(c),
  enctype: undefined,
  page: undefined,
  fields: [...fields].filter(([name]) => !isSecret(name)),
  lost: lostSecrets([...fields]),
});

const pathOf = (c: AppContext): string => {
  const { pathname, search } = new URL(c.req.url);
  return pathname + search;
};

const lostSecrets = (texts: readonly [string, string][]): string[] =>
  texts.some(([name]) => isSecret(name)) ? ["A password or code is not kept. Enter it again afterwards."] : [];

/** Reads a form, which is of this site as the caller has checked, so that a page can hold it. Throws 429 when there is no memory for it. */
export async function readKept(c: AppContext): Promise<Kept> {
  const enctype = isMultipart(c) ? "multipart/form-data" : undefined;
  const form: Omit<Kept, "fields" | "lost"> = { action: pathOf(c), enctype, page: undefined };
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
      ...lostSecrets(texts),
    ];
    const page = texts.find(([name]) => name === FORM_PAGE)?.[1] || undefined;
    const fields = texts.filter(([name]) => name !== FORM_PAGE && !isSecret(name)).slice(0, MAX_FIELDS);
    return { ...form, page, fields, lost };
  } catch (error) {
    if (!(error instanceof RequestTooLargeError) && !(error instanceof TypeError)) throw error;
    return { ...form, fields: [], lost: ["The form is too large or malformed and cannot be kept."] };
  } finally {
    hold.free();
  }
}
