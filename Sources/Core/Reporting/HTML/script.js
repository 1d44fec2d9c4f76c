"use strict";
(() => {
  const units = {
    "µs": 1e-6, ms: 1e-3, s: 1, min: 60, h: 3600, "%": 0.01,
    B: 1, KB: 1e3, MB: 1e6, GB: 1e9, KiB: 1024, MiB: 1048576, GiB: 1073741824,
  };
  const add = (parent, name, text) => {
    const node = document.createElement(name);
    if (text) node.textContent = text;
    parent.append(node);
    return node;
  };

  // A number with its unit sorts as a number, everything else as text.
  const key = (text) => {
    const found = /^([-+]?)([\d,]*\.?\d+)(?:\s*([^\s\d(]+))?/u.exec(text);
    if (!found) return text;
    const value = Number(found[2].replaceAll(",", "")) * (units[found[3]] ?? 1);
    return found[1] === "-" ? -value : value;
  };
  const compare = (left, right) =>
    typeof left === "number" && typeof right === "number"
      ? left - right
      : typeof left === "number" ? -1 : typeof right === "number" ? 1
        : left < right ? -1 : left > right ? 1 : 0;

  for (const table of document.querySelectorAll("table")) {
    const body = table.tBodies[0];
    const heads = [...table.tHead.rows[0].cells];
    if (body.rows.length > 1) {
      heads.forEach((head, column) => {
        if (!head.textContent) return;
        const button = document.createElement("button");
        button.type = "button";
        button.append(...head.childNodes);
        head.append(button);
        button.addEventListener("click", () => {
          const isFalling = head.getAttribute("aria-sort") === "ascending";
          for (const other of heads) other.removeAttribute("aria-sort");
          head.setAttribute("aria-sort", isFalling ? "descending" : "ascending");
          const rows = [...body.rows].map((row) => [key(row.cells[column]?.textContent ?? ""), row]);
          rows.sort((left, right) => (isFalling ? -1 : 1) * compare(left[0], right[0]));
          body.append(...rows.map((row) => row[1]));
        });
      });
    }
    if (!table.hasAttribute("data-filter")) continue;
    const box = document.createElement("label");
    box.className = "filter";
    box.append("Show rows with");
    const input = add(box, "input");
    input.type = "search";
    input.addEventListener("input", () => {
      const words = input.value.toLowerCase().split(/\s+/u);
      for (const row of body.rows) {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
      }
    });
    table.parentElement.before(box);
  }

  // The exact value of the mark next to the pointer.
  const value = add(document.body, "div");
  value.className = "value";
  value.hidden = true;
  value.setAttribute("aria-hidden", "true");
  for (const drawing of document.querySelectorAll("svg[role=img]")) {
    const marks = [...drawing.querySelectorAll("[data-v]")];
    if (!marks.length) continue;
    drawing.addEventListener("pointermove", (event) => {
      let nearest = null;
      let least = 24;
      for (const mark of marks) {
        const box = mark.getBoundingClientRect();
        const away = Math.hypot(
          Math.max(box.left - event.clientX, 0, event.clientX - box.right),
          Math.max(box.top - event.clientY, 0, event.clientY - box.bottom),
        );
        if (away < least) [least, nearest] = [away, box, (value.textContent = mark.dataset.v)];
      }
      value.hidden = !nearest;
      if (!nearest) return;
      const left = nearest.left + nearest.width / 2 - value.offsetWidth / 2;
      const most = document.documentElement.clientWidth - value.offsetWidth - 4;
      value.style.left = `${Math.max(4, Math.min(left, most)) + scrollX}px`;
      value.style.top = `${nearest.top + scrollY - value.offsetHeight - 6}px`;
    });
    drawing.addEventListener("pointerleave", () => { value.hidden = true; });
  }
})();
