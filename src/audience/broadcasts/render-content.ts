import type { Parts } from "../../lib/liquid/text.ts";
import { parsePersonalText, type Rendering } from "../../lib/personal-text.ts";
import type { Encoding } from "../../lib/placeholders.ts";
import type { VariantContent } from "./contents.ts";
import { limits } from "./rules.ts";

/** An email as one person gets it. */
export interface RenderedContent {
  subject: string;
  html: string | null;
  text: string | null;
}

/** Renders a content with values. Throws LiquidTextError. Pure. */
export function renderContent({ subject, document }: VariantContent, rendering: Rendering): RenderedContent {
  const { html, text, liquid } = document;
  const render = (source: string | null, encoding: Encoding, parts: Parts | null = null) => {
    if (source === null) return null;
    const parsed = parsePersonalText(parts ? "liquid" : "placeholders", source, encoding, parts ?? {});
    return parsed.render(rendering, limits.contentBytes);
  };
  return {
    subject: subject.render(rendering, limits.contentBytes) ?? "",
    html: render(html, "html", liquid?.html),
    text: render(text, "text", liquid?.text),
  };
}
