import type { Brand } from "../../platform/brands/brand.ts";
import { type Recipient, useTexts } from "./viewer.tsx";

type SenderProps = Pick<Recipient, "brand" | "address">;

/** Returns the path of a logo, at whatever host the page has. */
export const logoPath = (logo: Brand["logo"] & string) => `/i/${logo}`;

/** The sender above a page of a recipient. */
export const SenderHead = ({ brand }: SenderProps) =>
  brand ? (
    <header>
      {brand.logo ? <img src={logoPath(brand.logo)} alt="" /> : null}
      <strong>{brand.name}</strong>
    </header>
  ) : null;

/** Who writes to which address, and the postal address of the sender, below a page of a recipient. */
export function SenderFoot({ brand, address }: SenderProps) {
  const texts = useTexts();
  if (!brand) return null;
  return (
    <footer>
      {address === undefined ? null : <p>{texts.writes(brand.name, address)}</p>}
      {brand.address ? <address>{brand.address}</address> : null}
    </footer>
  );
}
