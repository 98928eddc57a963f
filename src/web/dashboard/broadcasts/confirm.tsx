import type { Promotion } from "../../../audience/broadcasts/index.ts";
import { ConfirmPage } from "../../../http/ui/index.ts";

const count = (contacts: number) => `${contacts.toLocaleString("en")} ${contacts === 1 ? "contact" : "contacts"}`;

/** The page that asks before the winner of a test is sent to the contacts outside the sample. */
export const PromotePage = ({ promotion }: { promotion: Promotion }) => {
  const { broadcast, variant, sample, remainder } = promotion;
  return (
    <ConfirmPage
      title={`Promote ${variant.label} of ${broadcast.row.name}?`}
      button={`Send ${variant.label} to ${count(remainder)}`}
      isFinal={false}
      back={`/app/broadcasts/${broadcast.row.id}`}
      once
    >
      {`${count(remainder)} who ${remainder === 1 ? "is" : "are"} not in the sample of ${sample.toLocaleString("en")} ${remainder === 1 ? "gets" : "get"} the variant ${variant.label}, "${variant.subject}". Contacts that are suppressed or deleted meanwhile get none. No other variant can be promoted afterwards.`}
    </ConfirmPage>
  );
};
