import { files } from "../../http/ui/index.ts";
import { headingId } from "./heading-id.ts";

/** A document beside the operations, as `npm run client` stores it. */
interface GuideText {
  /** A guide walks through a task; rules are those of the API on one topic. */
  kind: "guides" | "rules";
  /** Name in URLs, such as `first-email`. */
  slug: string;
  /** With its title as first line. */
  markdown: string;
  /** The same without its title, as the content of a page. Its examples name the URL of `npm start`. */
  html: string;
}

export interface Guide extends GuideText {
  title: string;
}

let read: readonly Guide[] | null = null;

/** The guides in the order in which people need them. */
export const ORDER = [
  ...["first-email", "verify-a-domain", "client", "set-up-smtp", "templates", "webhooks", "debug-a-webhook", "bounces"],
  ...["sign-up-form", "topics", "segments", "broadcasts", "automations"],
  ...["use-a-mailbox", "share-a-mailbox", "mail-programs", "forwarding", "connect-an-assistant"],
  ...["transfer-a-domain", "domain-transfers", "resend"],
];
const placeOf = ({ kind, slug }: GuideText) => (kind === "guides" ? ORDER.indexOf(slug) + 1 : 0);

/** Returns all guides in the order of `ORDER`, and all rules in alphabetical order. Reads 300 KB from the static assets at the first call. */
export async function readGuides(assets: Fetcher): Promise<readonly Guide[]> {
  if (read) return read;
  const response = await assets.fetch(`https://assets.invalid${files.guides}`);
  if (!response.ok) throw new Error(`the guides cannot be read: ${response.status}`);
  const texts = await response.json<GuideText[]>();
  const sorted = texts.toSorted((a, b) => placeOf(a) - placeOf(b));
  read = sorted.map((text) => ({ ...text, title: /^# (.*)/.exec(text.markdown)?.[1] ?? text.slug }));
  return read;
}

/** Returns the path of the page of a guide. */
export const pathOf = ({ kind, slug }: Guide) => `/docs/${kind}/${slug}`;

/** A part of a guide, from one heading to the next. */
export interface Section {
  guide: Guide;
  heading: string;
  /** Id of the heading. Empty: the beginning of the page. */
  id: string;
  text: string;
}

/** Returns the parts of a guide. */
export function sectionsOf(guide: Guide): Section[] {
  return guide.markdown
    .split(/^(?=#{1,3} )/m)
    .filter((part) => part.trim() !== "")
    .map((part) => {
      const [line = "", ...rest] = part.split("\n");
      const heading = line.replace(/^#+ /, "").replaceAll("`", "");
      return { guide, heading, id: line.startsWith("# ") ? "" : headingId(heading), text: rest.join("\n") };
    });
}
