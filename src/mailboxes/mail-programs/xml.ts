import { escapeHtml } from "../../lib/placeholders.ts";

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>';

/** An element of XML with its text or its elements. */
export type Element = readonly [name: string, content: string | readonly Element[]];

/** Returns elements as XML. Texts are escaped; names may have attributes and are not. */
export function toXml(elements: readonly Element[], { doctype = "" } = {}): string {
  return `${DECLARATION}\n${doctype}${elements.map((element) => write(element, "")).join("")}`;
}

function write([name, content]: Element, indent: string): string {
  const end = name.split(" ")[0] ?? name;
  if (typeof content === "string") return `${indent}<${name}>${escapeHtml(content)}</${end}>\n`;
  if (content.length === 0) return `${indent}<${name}/>\n`;
  return `${indent}<${name}>\n${content.map((element) => write(element, `${indent}  `)).join("")}${indent}</${end}>\n`;
}
