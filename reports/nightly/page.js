// Sorts and filters tables in place. Without it the page says the same.
"use strict";
for (const table of document.querySelectorAll("section.table table")) {
  const rows = () => [...table.tBodies[0].rows];
  const heads = [...table.tHead.rows[0].cells];
  const value = (row, at) => {
    const cell = row.cells[at];
    const number = cell.dataset.v;
    return number === undefined ? cell.textContent.trim().toLowerCase() : Number(number);
  };
  const unknown = (row, at) => row.cells[at].querySelector(".muted[title]") !== null && row.cells[at].dataset.v === undefined;
  if (rows().length > 2) {
    heads.forEach((head, at) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const up = head.getAttribute("aria-sort") !== "ascending";
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", up ? "ascending" : "descending");
        const sorted = rows().sort((a, b) => {
          // What is not known stands last, whichever way.
          if (unknown(a, at) !== unknown(b, at)) return unknown(a, at) ? 1 : -1;
          const [x, y] = [value(a, at), value(b, at)];
          const order = typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y));
          return up ? order : -order;
        });
        table.classList.add("sorted");
        table.tBodies[0].append(...sorted);
      });
    });
  }
  if (rows().length > 8) {
    const field = document.createElement("input");
    field.type = "search";
    field.placeholder = "Filter";
    field.setAttribute("aria-label", "Filter " + (table.getAttribute("aria-label") || "rows"));
    field.addEventListener("input", () => {
      const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
      for (const row of rows()) {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
      }
    });
    table.closest(".scroll").before(field);
  }
}
// A link to something folded opens it; paper has everything.
const reveal = () => {
  const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
  const own = target.querySelector("details.whole");
  if (own) own.open = true;
  target.scrollIntoView();
};
addEventListener("hashchange", reveal);
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((fold) => (fold.open = true)));
reveal();
