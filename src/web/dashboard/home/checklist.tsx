import { Status } from "../../../http/ui/index.ts";
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
}

/** Shows the steps left before the workspace sends email, or nothing when all are done. The first open step has a button. */
export function Checklist({ setup, scopes }: ChecklistProps) {
  const open = STEPS.filter(({ done }) => !setup[done]);
  const [next] = open;
  if (next === undefined) return null;
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
