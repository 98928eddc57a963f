import type { Child } from "hono/jsx";
import { type RunOut, stepNumber } from "../../../audience/automations/index.ts";
import { List, Time } from "../../../http/ui/index.ts";
import { Flow, type FlowProps } from "./flow.tsx";

export type PersonFlow = Pick<FlowProps, "definition" | "names">;

interface PersonPathProps extends PersonFlow {
  history: RunOut["history"];
  /** The step at which the person is, and why it stays there. */
  here?: { at: string; why: Child } | undefined;
  title: string;
}

/** The flow with the way of one person through it, and the history beside it. */
export function PersonPath({ definition, names, history, here, title }: PersonPathProps) {
  const times = new Map(history.toReversed().map(({ at, step }) => [step ?? "", at]));
  const passed = [...times.keys()].map((at): [string, "passed"] => [at, "passed"]);
  const note = (at: string) => {
    if (at === here?.at) return <p>{here.why}</p>;
    const time = times.get(at);
    return time === undefined ? null : <Time at={time} as="whole" />;
  };
  return (
    <div class="beside">
      <Flow
        definition={definition}
        names={names}
        note={note}
        marks={new Map(here ? [...passed, [here.at, "here"]] : passed)}
      />
      <aside>
        <h2>{title}</h2>
        <List
          caption={title}
          columns={["Time", "Step", "Event"]}
          rows={history.map(({ at, step, text }) => [
            <Time at={at} />,
            step === null ? "" : stepNumber(step),
            <WithTimes text={text} />,
          ])}
        />
      </aside>
    </div>
  );
}

const ISO_TIME = /(\d{4}-\d\d-\d\dT[\d:.]+Z)/;

/** A line of a history, with its times as the viewer reads them. */
export const WithTimes = ({ text }: { text: string }) => (
  <>{text.split(ISO_TIME).map((part) => (ISO_TIME.test(part) ? <Time at={part} as="whole" /> : part))}</>
);
