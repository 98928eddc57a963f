import { raw } from "hono/html";
import { useViewer } from "../../http/ui/index.ts";
import type { Contents, Noun } from "./document.ts";
import { type Guide, pathOf } from "./guides.ts";
import { ReferenceLayout } from "./layout.tsx";

const LANGUAGES = ["curl", "TypeScript", "Python"] as const;

/** The page of the operations on one kind of resource. Its style shows the examples in the chosen language only, without a script. */
export const NounPage = ({ contents, noun, html }: { contents: Contents; noun: Noun; html: string }) => (
  <ReferenceLayout title={noun.name} contents={contents} current={noun.slug} markdown={`/docs/${noun.slug}.md`}>
    <fieldset class="languages">
      <legend>Examples in</legend>
      {LANGUAGES.map((language, at) => (
        <label>
          <input type="radio" name="language" value={language} checked={at === 0} />
          <span>{language}</span>
        </label>
      ))}
    </fieldset>
    {raw(html)}
  </ReferenceLayout>
);

/** URL of the service in the examples of the documents: that of `npm start`. */
const LOCAL_URL = "http://127.0.0.1:8787";

/** The page of a guide, or of the rules on one topic. */
export const GuidePage = ({ contents, guide }: { contents: Contents; guide: Guide }) => (
  <ReferenceLayout title={guide.title} contents={contents} current={pathOf(guide)} markdown={`${pathOf(guide)}.md`}>
    <article class="prose">{raw(guide.html.replaceAll(LOCAL_URL, useViewer().origin))}</article>
  </ReferenceLayout>
);
