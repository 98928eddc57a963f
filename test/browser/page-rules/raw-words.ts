import { isPainted, nameOf, paintedTexts, shorten } from "./boxes.ts";

/** Elements whose text is code by their meaning, or by the class that sets it as code. */
const CODE = "code, pre, kbd, samp, .code";

/** Texts of programs that a person should not have to read. */
const RAW: Readonly<Record<string, RegExp>> = {
  "an ISO time": /\d{4}-\d\d-\d\dT\d\d:\d\d/,
  "a path of the API": /(^|[\s"'(])\/v1\/\w/,
  "a value of a program": /\b(null|undefined|NaN)\b|\[object \w+\]/,
  JSON: /[{[,]\s*"[^"]*"\s*[:,\]]|^\s*(\{\}|\[\])\s*$/,
};

/** Returns the words and the values of fields that are ISO times, paths of the API, `null` or JSON. */
export function findRawWords(isLeftOut: (element: Element) => boolean): string[] {
  const words = paintedTexts()
    .filter(({ parent }) => !parent.closest(CODE) && !isLeftOut(parent))
    .flatMap(({ node, parent }) =>
      kindsOf(node.data).map((kind) => `${shorten(node.data)} is ${kind} in ${nameOf(parent)}`),
    );
  const fields = document.querySelectorAll<HTMLInputElement>("input[type=text], input:not([type]), textarea");
  const values = [...fields]
    .filter((field) => !isLeftOut(field) && isPainted(field))
    .flatMap((field) => kindsOf(field.value).map((kind) => `${shorten(field.value)} is ${kind} in ${nameOf(field)}`));
  return [...words, ...values];
}

const kindsOf = (text: string) => Object.keys(RAW).filter((kind) => RAW[kind]?.test(text));
