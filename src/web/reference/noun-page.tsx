import { raw } from "hono/html";
import type { Contents, Noun } from "./document.ts";
import { ReferenceLayout } from "./layout.tsx";

const LANGUAGES = ["curl", "TypeScript", "Python"] as const;

interface NounPageProps {
  contents: Contents;
  noun: Noun;
  /** HTML of its operations. */
  html: string;
}

/** The page of the operations on one kind of resource. Its style shows the examples in the chosen language only, without a script. */
export const NounPage = ({ contents, noun, html }: NounPageProps) => (
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
