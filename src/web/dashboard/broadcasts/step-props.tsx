import type { BroadcastOut } from "../../../audience/broadcasts/index.ts";
import type { StepForm } from "./step-form.tsx";
import type { Step } from "./steps.ts";

/** Of the page of a step. */
export interface StepProps {
  broadcast: BroadcastOut;
  /** The steps that are done. */
  done: readonly Step[];
}

/** Of the page of a step with a form of the broadcast. */
export interface FormStepProps extends Omit<StepProps, "broadcast"> {
  /** Null: a new one. */
  broadcast: BroadcastOut | null;
  form: StepForm;
}
