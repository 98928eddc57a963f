/**
 * Completes each address of a field that has a list, also those after a comma: browsers compare the list with all of the
 * field, so its values begin with the addresses that are there already.
 */
export function completeAddresses(): void {
  for (const list of document.querySelectorAll("datalist")) {
    const options = [...list.options].map((option) => ({ option, address: option.value }));
    for (const field of document.querySelectorAll<HTMLInputElement>(`input[list="${list.id}"]`)) {
      const offer = () => {
        const before = field.value.slice(0, field.value.lastIndexOf(",") + 1);
        for (const { option, address } of options) option.value = before === "" ? address : `${before} ${address}`;
      };
      field.addEventListener("focus", offer);
      field.addEventListener("input", offer);
    }
  }
}
