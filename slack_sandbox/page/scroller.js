// Scrolling of a list of messages: it follows what arrives until the reader scrolls away.

/**
 * Keep `scroller` at the newest message. A message taller than the view is shown from its first line.
 * Returns {settle, stick, isStuck}: call `settle` after the content changed.
 */
export function followNewest(scroller, content) {
  let stuck = true;
  let ours = 0;
  const settle = () => {
    if (!stuck) return;
    const last = [...content.querySelectorAll(".message")].at(-1);
    const bottom = scroller.scrollHeight - scroller.clientHeight;
    const top = last ? last.offsetTop - 12 : bottom;
    scroller.scrollTop = Math.max(0, Math.min(bottom, top));
    ours = scroller.scrollTop;
  };
  scroller.addEventListener(
    "scroll",
    () => {
      if (Math.abs(scroller.scrollTop - ours) < 3) return;
      stuck = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 24;
    },
    { passive: true },
  );
  const observer = new ResizeObserver(settle);
  observer.observe(content);
  observer.observe(scroller);
  const stick = () => {
    stuck = true;
    settle();
  };
  return { settle, stick, isStuck: () => stuck };
}
