interface MailFrameProps {
  title: string;
  /** A page of `respondMailHtml`. Absent: the frame is empty until a form is shown in it. */
  src?: string | undefined;
  /** Target of forms that are shown in it. */
  name?: string;
}

/** Shows the HTML of an own email in a frame without scripts, forms and origin. Its links open in a new tab. */
export const MailFrame = ({ title, src, name }: MailFrameProps) => (
  <iframe class="mail" title={title} name={name} sandbox="allow-popups allow-popups-to-escape-sandbox" src={src} />
);

/** The frame that shows what is filled in a form, or `src` first. A button of the form has it as its target. */
export const PreviewFrame = ({ src }: Pick<MailFrameProps, "src">) => (
  <>
    <MailFrame title="Preview" name="preview" src={src} />
    <p class="hint">Previews load no images.</p>
  </>
);
