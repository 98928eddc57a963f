/**
 * Code that scrolls sideways in its own box, with a button that copies it. The keyboard reaches it, so that it can be scrolled
 * without a mouse. `label` is read by screen readers and tells pieces of code of one page apart.
 */
export const Code = ({ label, text }: { label: string; text: string }) => (
  <section class="code-box" aria-label={label} tabindex={0} data-copy="">
    <pre>{text}</pre>
  </section>
);
