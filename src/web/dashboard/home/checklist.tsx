import type { Scope } from "../../../access/accounts/scopes.ts";
import {
  ButtonLink,
  Drawing,
  Field,
  Form,
  PostButton,
  Status,
  Submit,
  useCaller,
  useScope,
} from "../../../http/ui/index.ts";
import type { Setup, SetupState } from "./queries.ts";

interface Step {
  done: keyof SetupState;
  text: string;
  action: { href: string; label: string };
  scope: Scope;
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

/** The first step of a workspace with a test domain, which sends before any set-up. */
const SEND_YOURSELF: Step = {
  done: "hasSent",
  text: "Send yourself a mail from your test domain",
  action: { href: "/app/test-mail", label: "Send yourself a mail" },
  scope: "emails:send",
};

/** Returns the steps of a workspace. With a test domain the first email comes first. */
const stepsOf = ({ sandboxSender }: Setup): readonly Step[] =>
  sandboxSender === null ? STEPS : [SEND_YOURSELF, ...STEPS.filter(({ done }) => done !== "hasSent")];

/** Returns whether the workspace has done every step. */
export const isSetUp = (setup: Setup) => stepsOf(setup).every(({ done }) => setup[done]);

/** The form of the first step, which all others need. */
const FirstDomain = () => (
  <section class="card first" aria-label="First step">
    <Drawing name="domain" />
    <div>
      <h2>Which domain do you send from?</h2>
      <p class="soft">
        Add one that you own. The next page has the DNS records that prove it and let receivers trust your emails.
      </p>
      <Form class="filter" action="/app/domains" once>
        <Field name="name" label="Domain name" placeholder="shop.example.net" maxlength={253} />
        <Submit label="Add domain" kind="main" />
      </Form>
    </div>
  </section>
);

/** Shows the steps left before the workspace sends email. The first open one has a button; the domain, the first of all, its form. */
export function Checklist({ setup }: { setup: Setup }) {
  const [next] = stepsOf(setup).filter(({ done }) => !setup[done]);
  if (next === undefined) return null;
  const isFirst = next.done === "hasDomain" && useScope(next.scope);
  return (
    <>
      {isFirst ? <FirstDomain /> : null}
      <Steps setup={setup} next={isFirst ? null : next} />
    </>
  );
}

/** All steps. `next` is the one that has a button. */
function Steps({ setup, next }: { setup: Setup; next: Step | null }) {
  const { actor } = useCaller();
  const steps = stepsOf(setup);
  const open = steps.filter(({ done }) => !setup[done]);
  const first = { from_: setup.sandboxSender ?? "", to: actor.email };
  return (
    <section class="card" aria-label="Set-up">
      <h2>
        Set up: {steps.length - open.length} of {steps.length} steps are done
      </h2>
      <ol class="steps">
        {steps.map((step) => (
          <li>
            <Status word={setup[step.done] ? "done" : "to do"} />
            <span>{step.text}</span>
            {step !== next || !actor.scopes.has(step.scope) ? null : step === SEND_YOURSELF ? (
              <PostButton to={step.action.href} label={step.action.label} once fields={first} />
            ) : (
              <ButtonLink to={step.action.href} label={step.action.label} />
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
