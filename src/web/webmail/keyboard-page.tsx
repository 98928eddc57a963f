import type { OpenPage } from "./layout.tsx";
import { SettingsLayout } from "./settings-layout.tsx";

/** The page of the keys of webmail. The script writes them, since only it listens for them (client/keys.ts). */
export const KeyboardPage = ({ page }: { page: OpenPage }) => (
  <SettingsLayout page={page} at="keyboard">
    <p class="hint">The keys act on the message that has the focus. In a text they are letters.</p>
    <div data-key-help="" />
    <noscript>
      <p>The keys need scripts, which this browser does not run.</p>
    </noscript>
  </SettingsLayout>
);
