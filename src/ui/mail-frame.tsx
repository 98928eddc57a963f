/** Shows the HTML of an own email in a frame without scripts, forms and origin. Its links open in a new tab. `src`: a page of `respondMailHtml`. */
export const MailFrame = ({ title, src }: { title: string; src: string }) => (
  <iframe class="mail" title={title} sandbox="allow-popups allow-popups-to-escape-sandbox" src={src} />
);
