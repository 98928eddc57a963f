import { raw } from "hono/html";
import type { Contents } from "./document.ts";
import { type Guide, pathOf } from "./guides.ts";
import { ReferenceLayout } from "./layout.tsx";

/** URL of the service in the examples of the documents: that of `npm start`. */
const LOCAL_URL = "http://127.0.0.1:8787";

interface GuidePageProps {
  contents: Contents;
  guide: Guide;
  /** URL of the service. */
  origin: string;
}

/** The page of a guide, or of the rules on one topic. */
export const GuidePage = ({ contents, guide, origin }: GuidePageProps) => (
  <ReferenceLayout title={guide.title} contents={contents} current={pathOf(guide)} markdown={`${pathOf(guide)}.md`}>
    <article class="prose">{raw(guide.html.replaceAll(LOCAL_URL, origin))}</article>
  </ReferenceLayout>
);
