import type { SegmentRow } from "../../audience/segments/index.ts";
import { Select } from "../../http/ui/index.ts";

interface SegmentSelectProps {
  segments: readonly Pick<SegmentRow, "id" | "name">[];
  value: string;
}

/** The choice of the segment of a broadcast. None is shown when the workspace has no segment. */
export const SegmentSelect = ({ segments, value }: SegmentSelectProps) =>
  segments.length === 0 ? null : (
    <Select
      name="segment_id"
      label="Segment"
      hint="Only its people get the broadcast. Without a list, all of them do."
      value={value}
      none="None"
      options={segments.map(({ id, name }) => ({ value: id, label: name }))}
    />
  );
