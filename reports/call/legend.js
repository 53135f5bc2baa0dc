// What colours and signs mean. An end or a cause that is clicked is shown alone; clicked again, with all others.
const entryOf = (shape, className, text, letter) => {
  const size = shape === "rect" ? 14 : 20;
  const swatch = svg("svg", { width: size, height: 14, "aria-hidden": "true" });
  swatch.append(shape === "rect" ? svg("rect", { width: 14, height: 14, rx: 2, class: className }) : svg("path", { d: "M0 7H20", class: className }));
  if (letter) swatch.append(svg("text", { x: 7, y: 11, class: "letter" }, letter));
  const entry = el("span", "legend-entry");
  entry.append(swatch, " " + text);
  return entry;
};

const choosing = (entry, what, value) => {
  const button = el("button", "legend-entry");
  button.type = "button";
  button.title = "Show alone";
  button.setAttribute("aria-pressed", "false");
  button.append(...entry.childNodes);
  button.addEventListener("click", () => {
    view.only[what] = view.only[what] === value ? null : value;
    for (const other of document.querySelectorAll("#legend [data-what=" + what + "]")) other.setAttribute("aria-pressed", String(other === button && view.only[what] === value));
    repaint();
  });
  button.dataset.what = what;
  return button;
};

// Whether something is put aside while another is shown alone.
const isAside = (what, value) => view.only[what] !== null && view.only[what] !== value;

const addLegend = () => {
  const legend = document.getElementById("legend");
  if (call.ends.length > 1) {
    call.ends.forEach((end, place) => place < 12 && legend.append(choosing(entryOf("line", "line end" + (place % 6), end.name), "end", place)));
  }
  for (const cause of call.causes) {
    if (!call.ends.some((end) => end.points[cause].some((points) => points > 0))) continue;
    legend.append(choosing(entryOf("rect", "cause " + cause, "points lost to " + cause, letters[cause]), "cause", cause));
  }
  const states = new Set(call.ends.flatMap((end) => [...end.state]));
  if (states.has("x")) legend.append(el("span", "legend-entry", "× nothing arrived"));
  if (states.has("s")) legend.append(entryOf("rect", "silent", "silent"));
  if (states.has("u")) legend.append(entryOf("rect", "unscored", "not scored"));
  if (call.ends.some((end) => end.clients.some((value) => value !== null))) legend.append(entryOf("line", "client", "the client's own score"));
  // Where samples may share a pixel.
  if (call.lanes.some((lane) => !lane.asked && lane.lines.some((line) => line.times.length > view.width))) {
    const entry = entryOf("line", "line end0", "the mean, amid the least and the greatest");
    entry.firstChild.prepend(svg("path", { d: "M0 2H20V12H0z", class: "band end0" }));
    legend.append(entry);
  }
};
