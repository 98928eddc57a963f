import { Icon } from "./icon.tsx";

interface MailFrameProps {
  title: string;
  /** A page of `respondMailHtml`. Absent: the frame is empty until a form is shown in it. */
  src?: string | undefined;
  /** Target of forms that are shown in it. */
  name?: string;
}

/**
 * Shows the HTML of an own email in a frame without scripts, forms and origin. Its links open in a new tab. It is as wide as its place or
 * as a phone, and in the light or the dark: choices above it.
 */
export const SizedMailFrame = (props: MailFrameProps) => (
  <div class="preview">
    <div class="sizes" role="radiogroup" aria-label="Width">
      <label>
        <input type="radio" name="width" checked />
        <Icon name="desktop" />
        Desktop
      </label>
      <label>
        <input type="radio" name="width" class="phone" />
        <Icon name="phone" />
        Phone
      </label>
      <label>
        <input type="checkbox" class="dark" />
        <Icon name="moon" />
        Dark
      </label>
    </div>
    <iframe class="mail" sandbox="allow-popups allow-popups-to-escape-sandbox" {...props} />
  </div>
);

/** The frame that shows what is filled in a form, or `src` first. A button of the form has it as its target. */
export const PreviewFrame = ({ src }: Pick<MailFrameProps, "src">) => (
  <>
    <SizedMailFrame title="Preview" name="preview" src={src} />
    <p class="hint">Previews load no images.</p>
  </>
);

/** The button of a form that shows in that frame what is filled in. `to`: the path of the page that the frame shows. */
export const UpdatePreview = ({ to }: { to: string }) => (
  <button class="quiet update" type="submit" formaction={to} formtarget="preview" formnovalidate>
    Update preview
  </button>
);
