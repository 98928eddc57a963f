import type { CallerCtx } from "../../../access/caller.ts";
import { Form, Live, Submit } from "../../../http/ui/index.ts";

/** The card about the example shop, as the local service writes it (dev/example/card.ts). */
export interface ExampleCard {
  title: string;
  text: string;
  isChanging: boolean;
  forms: { action: string; fields: Record<string, string>; label: string }[];
}

/** Calls the local service about the example shop. Null: a deployment, or another caller than the administrator. */
export async function callExample({ settings, actor, workspace }: CallerCtx, method: string): Promise<Response | null> {
  const { exampleUrl: url, gatewaySecret } = settings;
  if (url === "" || actor.kind !== "session" || !actor.isPlatformAdmin) return null;
  return fetch(`${url}?workspace=${workspace.id}`, { method, headers: { Authorization: `Bearer ${gatewaySecret}` } });
}

export const Example = ({ card: { title, text, isChanging, forms } }: { card: ExampleCard }) => (
  <Live id="example" isPolled={isChanging}>
    <section class="card" aria-label="Example shop">
      <h2>{title}</h2>
      <p class="soft">{text}</p>
      <div class="actions">
        {forms.map(({ label, ...form }) => (
          <Form {...form}>
            <Submit label={label} kind="quiet" />
          </Form>
        ))}
      </div>
    </section>
  </Live>
);
