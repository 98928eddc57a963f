/** Code in a box that scrolls sideways, also by the keyboard, with a button that copies it. `label`: read by screen readers. */
export const Code = ({ label, text }: { label: string; text: string }) => (
  <section class="code-box" aria-label={label} tabindex={0} data-copy="">
    <pre>{text}</pre>
  </section>
);
