// One small label near what is pointed at or focused.

const tooltipPlace = styleOf("#tooltip");
const tooltip = h("div", { id: "tooltip", class: "tooltip", role: "tooltip", hidden: true });

function place(target) {
  const box = target.getBoundingClientRect();
  const own = tooltip.getBoundingClientRect();
  const left = Math.max(8, Math.min(box.left + box.width / 2 - own.width / 2, innerWidth - own.width - 8));
  const above = box.top - own.height - 8;
  tooltipPlace.setProperty("left", `${left}px`);
  tooltipPlace.setProperty("top", `${above < 8 ? box.bottom + 8 : above}px`);
}

function hideTooltip() {
  tooltip.hidden = true;
}

/** Show `textOf(element)` for elements under `root` that `selector` finds. */
function explain(root, selector, textOf) {
  const show = (event) => {
    const target = event.target.closest?.(selector);
    const text = target && textOf(target);
    if (!text) return hideTooltip();
    tooltip.textContent = shown(text);
    tooltip.hidden = false;
    place(target);
  };
  root.addEventListener("pointerover", show);
  root.addEventListener("focusin", show);
  root.addEventListener("pointerleave", hideTooltip);
  root.addEventListener("focusout", hideTooltip);
  return root;
}

document.addEventListener("keydown", (event) => event.key === "Escape" && hideTooltip());
addEventListener("scroll", hideTooltip, { passive: true });
