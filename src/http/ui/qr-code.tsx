import { encode } from "uqr";

/** Light modules around the code that readers need (ISO/IEC 18004). */
const QUIET_ZONE = 4;

/** A QR code of a text as an inline SVG. It is dark on white in every colour scheme, since many readers need that. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { data } = encode(text, { ecc: "M", border: QUIET_ZONE });
  const size = data.length;
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} width={240} height={240} role="img" aria-label={label}>
      <rect width={size} height={size} fill="#fff" />
      <path d={data.map(rowPath).join("")} fill="#000" shape-rendering="crispEdges" />
    </svg>
  );
}

/** Returns the path of the dark modules of a row: one rectangle for each run of them. */
function rowPath(row: readonly boolean[], y: number): string {
  const line = row.map((isDark) => (isDark ? "1" : "0")).join("");
  return [...line.matchAll(/1+/g)]
    .map(({ 0: run, index }) => `M${index} ${y}h${run.length}v1h-${run.length}z`)
    .join("");
}
