import { filterStyle } from "./filter-style.ts";
import { rewriteHtml, words } from "./rewrite-html.ts";

const ELEMENTS = words(
  "a abbr address article b bdi bdo big blockquote br caption center cite code col colgroup dd del dfn div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd li main mark ol p pre q s samp section small span strike strong sub sup table tbody td tfoot th thead time tr tt u ul var wbr",
);

const EVERYWHERE = words(
  "dir lang title align valign bgcolor width height border cellpadding cellspacing colspan rowspan nowrap",
);
const OF_ELEMENT: Readonly<Record<string, ReadonlySet<string>>> = {
  font: words("color face size"),
  img: words("alt"),
  ol: words("start type"),
  li: words("value"),
  time: words("datetime"),
};

/**
 * Returns HTML of a received message that runs no script, submits nothing and, unless `withImages` is true, loads nothing from another host
 * when it is shown. The markup is written anew: only listed elements, attributes and CSS properties, and text in which every special
 * character is escaped. Content-IDs (`cid:`) of images stay for the client to resolve. Sanitising the result again does not change it.
 */
export function sanitize(html: string, withImages: boolean): string {
  return rewriteHtml(html, {
    elements: ELEMENTS,
    attributesOf: (name, attributes) => safeAttributes(name, attributes, withImages),
  });
}

function safeAttributes(
  name: string,
  attributes: Readonly<Record<string, string>>,
  withImages: boolean,
): [string, string][] {
  const listed = Object.entries(attributes).filter(
    ([attribute]) => EVERYWHERE.has(attribute) || OF_ELEMENT[name]?.has(attribute),
  );
  const style = filterStyle(attributes.style ?? "");
  return [
    ...listed,
    ...(style === "" ? [] : [["style", style] as [string, string]]),
    ...(name === "a" ? linkAttributes(attributes.href) : []),
    ...(name === "img" ? imageAttributes(attributes.src, withImages) : []),
  ];
}

/** A link opens elsewhere and tells its target nothing. A relative link has no meaning in a message. */
function linkAttributes(href = ""): [string, string][] {
  const url = href.trim();
  if (!/^(?:https?:\/\/|mailto:|tel:)[^\0-\x20]/i.test(url)) return [];
  return [
    ["href", url],
    ["rel", "noopener noreferrer nofollow"],
    ["target", "_blank"],
  ];
}

/** Image data that no browser runs as a document. */
const DATA_IMAGE = /^data:image\/(?:png|gif|jpe?g|webp);base64,[A-Za-z0-9+/=\s]*$/i;

function imageAttributes(src = "", withImages: boolean): [string, string][] {
  const url = src.trim();
  const isShown = /^cid:/i.test(url) || DATA_IMAGE.test(url) || (withImages && /^https?:\/\/[^\0-\x20]/i.test(url));
  return isShown ? [["src", url]] : [];
}
