/** Code that scrolls sideways in its own box. The keyboard reaches it, so that it can be scrolled without a mouse. */
export const Code = ({ label, text }: { label: string; text: string }) => (
  <section class="code-box" aria-label={label} tabindex={0} data-copy="" data-what={label}>
    <pre>{text}</pre>
  </section>
);

/** JSON as code. */
export const Json = ({ label, value }: { label: string; value: unknown }) => (
  <Code label={label} text={JSON.stringify(value, null, 2)} />
);

/** Returns a text of the document with its parts between backticks as code. */
export const withCode = (text: string) =>
  text.split("`").map((part, at) => (at % 2 === 1 ? <code>{part}</code> : part));
