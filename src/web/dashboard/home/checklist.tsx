import { Drawing, Field, Form, Status } from "../../../http/ui/index.ts";
import type { SetupState } from "./queries.ts";

interface Step {
  done: keyof SetupState;
  text: string;
  action: { href: string; label: string };
  /** Scope that the action needs. */
  scope: string;
}

const STEPS: readonly Step[] = [
  {
    done: "hasDomain",
    text: "Add the domain that you send from",
    action: { href: "/app/domains", label: "Add a domain" },
    scope: "domains:manage",
  },
  {
    done: "hasVerifiedDomain",
    text: "Publish its DNS records, and verify it",
    action: { href: "/app/domains", label: "See its records" },
    scope: "domains:view",
  },
  {
    done: "hasMailbox",
    text: "Create a mailbox on it: the address that you send from",
    action: { href: "/app/mailboxes", label: "Create a mailbox" },
    scope: "mailboxes:manage",
  },
  {
    done: "hasCredential",
    text: "Create an API key, or an SMTP credential, for your programs",
    action: { href: "/app/api-keys", label: "Create a key" },
    scope: "team:manage",
  },
  {
    done: "hasSent",
    text: "Send a first email",
    action: { href: "/app/emails/new", label: "Write an email" },
    scope: "emails:send",
  },
];

interface ChecklistProps {
  setup: SetupState;
  scopes: ReadonlySet<string>;
  /** Value of the hidden field of the form that adds the first domain. */
  idempotencyKey: string;
}

/** Returns whether the workspace has done every step. */
export const isSetUp = (setup: SetupState) => STEPS.every(({ done }) => setup[done]);

/** The form of the first step, which all others need. */
const FirstDomain = ({ idempotencyKey }: { idempotencyKey: string }) => (
  <section class="card first" aria-label="First step">
    <Drawing name="domain" />
    <div>
      <h2>Which domain do you send from?</h2>
      <p class="soft">
        Add one that you own. The next page has the DNS records that prove it and let receivers trust your emails.
      </p>
      <Form class="filter" action="/app/domains" once={idempotencyKey}>
        <Field name="name" label="Domain name" placeholder="shop.example.net" maxlength={253} />
        <button class="main" type="submit">
          Add domain
        </button>
      </Form>
    </div>
  </section>
);

/**
 * Shows the steps left before the workspace sends email, or nothing when all are done. The first open step has a button, and the domain,
 * with which everything begins, its form.
 */
export function Checklist({ setup, scopes, idempotencyKey }: ChecklistProps) {
  const [next] = STEPS.filter(({ done }) => !setup[done]);
  if (next === undefined) return null;
  const isFirst = next.done === "hasDomain" && scopes.has(next.scope);
  return (
    <>
      {isFirst ? <FirstDomain idempotencyKey={idempotencyKey} /> : null}
      <Steps {...{ setup, scopes }} next={isFirst ? null : next} />
    </>
  );
}

/** All steps. `next` is the one that has a button. */
function Steps({ setup, scopes, next }: Omit<ChecklistProps, "idempotencyKey"> & { next: Step | null }) {
  const open = STEPS.filter(({ done }) => !setup[done]);
  return (
    <section class="card" aria-label="Set-up">
      <h2>
        Set up: {STEPS.length - open.length} of {STEPS.length} steps are done
      </h2>
      <ol class="steps">
        {STEPS.map((step) => (
          <li>
            <Status word={setup[step.done] ? "done" : "to do"} />
            <span>{step.text}</span>
            {step === next && scopes.has(step.scope) ? (
              <a class="button" href={step.action.href}>
                {step.action.label}
              </a>
            ) : null}
          </li>
        ))}
      </ol>
    </section>
  );
}
