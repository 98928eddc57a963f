/** Returns by how much the page is wider than its window, which then scrolls sideways. */
export function findWide(): string[] {
  const { scrollWidth, clientWidth } = document.documentElement;
  return scrollWidth > clientWidth ? [`the page is ${scrollWidth} px wide, and its window ${clientWidth} px`] : [];
}
