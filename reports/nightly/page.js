// Sorts and filters tables in place. Without it the page says the same.
"use strict";
// The tables of a section are one: the first rows, those folded under it, and those that a fold of its own holds.
for (const section of document.querySelectorAll("section.table")) {
  const tables = [...section.querySelectorAll("table")];
  if (!tables.length) continue;
  const all = tables.flatMap((table) => [...table.tBodies[0].rows]);
  const folds = [...section.querySelectorAll("details.more")];
  const sizes = tables.map((table) => table.tBodies[0].rows.length);
  // Rows of another kind (gates that pass) stay in their fold; all others change places among the tables.
  const isApart = (table) => table.closest("details[data-fold]") !== null;
  const groups = [tables.filter((table) => !isApart(table)), ...tables.filter(isApart).map((table) => [table])];
  const unsorted = new Map(tables.map((table) => [table, [...table.tBodies[0].rows]]));
  const field = all.length > 8 ? document.createElement("input") : null;
  let isSorted = false;

  // A first cell that repeats the one above it is left blank only where it stands under it.
  const showRepeats = () => {
    const isMoved = isSorted || (field !== null && field.value.trim() !== "");
    for (const table of tables) table.classList.toggle("sorted", isMoved);
  };

  const value = (row, at) => {
    const cell = row.cells[at];
    const number = cell.dataset.v;
    return number === undefined ? cell.textContent.trim().toLowerCase() : Number(number);
  };
  const unknown = (row, at) => row.cells[at].querySelector(".muted[title]") !== null && row.cells[at].dataset.v === undefined;
  const sort = (at, direction) => {
    isSorted = direction !== "none";
    for (const group of groups) {
      const rows = group.flatMap((table) => unsorted.get(table));
      if (isSorted) {
        rows.sort((a, b) => {
          // What is not known stands last, whichever way.
          if (unknown(a, at) !== unknown(b, at)) return unknown(a, at) ? 1 : -1;
          const [x, y] = [value(a, at), value(b, at)];
          const areNumbers = typeof x === "number" && typeof y === "number";
          const order = areNumbers ? x - y : String(x).localeCompare(String(y), undefined, { numeric: true });
          return direction === "ascending" ? order : -order;
        });
      }
      for (const table of group) table.tBodies[0].append(...rows.splice(0, sizes[tables.indexOf(table)]));
    }
    for (const table of tables) {
      [...table.tHead.rows[0].cells].forEach((head, place) => {
        if (isSorted && place === at) head.setAttribute("aria-sort", direction);
        else head.removeAttribute("aria-sort");
      });
    }
    showRepeats();
  };
  if (all.length > 2) {
    const next = { ascending: "descending", descending: "none" };
    for (const table of tables) {
      [...table.tHead.rows[0].cells].forEach((head, at) => {
        const button = document.createElement("button");
        button.type = "button";
        button.append(...head.childNodes);
        head.append(button);
        button.addEventListener("click", () => sort(at, next[head.getAttribute("aria-sort")] || "ascending"));
      });
    }
  }

  if (field) {
    const name = tables[0].getAttribute("aria-label") || "rows";
    const count = document.createElement("output");
    count.className = "count";
    const where = section.querySelector("details.more > .note") ? " on this page; the CSV file has all" : "";
    field.type = "search";
    field.placeholder = "Filter";
    field.setAttribute("aria-label", "Filter " + name);
    let wasOpen = null;
    field.addEventListener("input", () => {
      const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
      const isFiltered = words.length > 0;
      let found = 0;
      for (const row of all) {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
        if (!row.hidden) found += 1;
      }
      count.textContent = isFiltered ? found + " of " + all.length + " rows" + where : "";
      // Every row that has the words is seen, also of those that are folded; then all is as it was.
      if (isFiltered && !wasOpen) wasOpen = folds.map((fold) => fold.open);
      folds.forEach((fold, place) => {
        fold.open = isFiltered || !wasOpen ? isFiltered : wasOpen[place];
        fold.hidden = isFiltered && ![...fold.querySelectorAll("tbody tr")].some((row) => !row.hidden);
      });
      if (!isFiltered) wasOpen = null;
      for (const table of tables) table.closest(".scroll").hidden = isFiltered && [...table.tBodies[0].rows].every((row) => row.hidden);
      showRepeats();
    });
    const line = document.createElement("p");
    line.className = "filter";
    line.append(field, count);
    tables[0].closest(".scroll").before(line);
  }
}
// Contents stand open at the side where there is room, else they are folded on top until they are asked for.
const contents = document.querySelector("nav.contents details");
if (contents) {
  const isWide = matchMedia("(min-width: 1400px)");
  const fit = () => (contents.open = isWide.matches);
  isWide.addEventListener("change", fit);
  fit();
  contents.addEventListener("click", (event) => {
    if (event.target.closest("a") && !isWide.matches) contents.open = false;
  });
  document.addEventListener("click", (event) => {
    if (!contents.contains(event.target) && !isWide.matches) contents.open = false;
  });
  contents.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || isWide.matches) return;
    contents.open = false;
    contents.querySelector("summary").focus();
  });
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
const folded = new Set();
addEventListener("beforeprint", () => {
  for (const fold of document.querySelectorAll("details:not([open])")) {
    folded.add(fold);
    fold.open = true;
  }
});
addEventListener("afterprint", () => {
  for (const fold of folded) fold.open = false;
  folded.clear();
});
reveal();
