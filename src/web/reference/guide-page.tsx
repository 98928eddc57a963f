import { raw } from "hono/html";
import { useViewer } from "../../http/ui/index.ts";
import type { Contents } from "./document.ts";
import { type Guide, pathOf } from "./guides.ts";
import { ReferenceLayout } from "./layout.tsx";

/** URL of the service in the examples of the documents: that of `npm start`. */
const LOCAL_URL = "http://127.0.0.1:8787";

/** The page of a guide, or of the rules on one topic. */
export const GuidePage = ({ contents, guide }: { contents: Contents; guide: Guide }) => (
  <ReferenceLayout title={guide.title} contents={contents} current={pathOf(guide)} markdown={`${pathOf(guide)}.md`}>
    <article class="prose">{raw(guide.html.replaceAll(LOCAL_URL, useViewer().origin))}</article>
  </ReferenceLayout>
);
