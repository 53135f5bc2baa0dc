// Builds the lanes from the top: scores first, then what explains them, then what happened.
const addLegend = () => {
  const legend = document.getElementById("legend");
  for (const cause of call.causes) {
    if (!call.ends.some((end) => end.points[cause].some((points) => points > 0))) continue;
    const entry = el("span", "legend-entry");
    const swatch = svg("svg", { width: 14, height: 14, "aria-hidden": "true" });
    swatch.append(svg("rect", { width: 14, height: 14, rx: 2, class: "cause " + cause }));
    swatch.append(svg("text", { x: 7, y: 11, class: "letter" }, letters[cause]));
    entry.append(swatch, " points lost to " + cause);
    legend.append(entry);
  }
  const states = new Set(call.ends.flatMap((end) => [...end.state]));
  if (states.has("x")) legend.append(el("span", "legend-entry", "× nothing arrived"));
  for (const [state, name, word] of [["s", "silent", "silent"], ["u", "unscored", "not scored"]]) {
    if (!states.has(state)) continue;
    const entry = el("span", "legend-entry");
    const swatch = svg("svg", { width: 14, height: 14, "aria-hidden": "true" });
    swatch.append(svg("rect", { width: 14, height: 14, rx: 2, class: name }));
    entry.append(swatch, " " + word);
    legend.append(entry);
  }
  if (call.ends.some((end) => end.clients.some((value) => value !== null))) {
    const entry = el("span", "legend-entry");
    const sample = svg("svg", { width: 20, height: 8, "aria-hidden": "true" });
    sample.append(svg("path", { d: "M0 4H20", class: "client" }));
    entry.append(sample, " the client's own score");
    legend.append(entry);
  }
  // Where samples may share a pixel.
  if (call.lanes.some((lane) => !lane.asked && lane.lines.some((line) => line.times.length > view.width))) {
    const entry = el("span", "legend-entry");
    const sample = svg("svg", { width: 20, height: 12, "aria-hidden": "true" });
    sample.append(svg("path", { d: "M0 1H20V11H0z", class: "band end0" }), svg("path", { d: "M0 6H20", class: "line end0" }));
    entry.append(sample, " the mean, amid the least and the greatest");
    legend.append(entry);
  }
};

// Any figure of getStats or of a capture, on the same axis, where the reader asks for it.
const addMembers = () => {
  const select = document.getElementById("member");
  const asked = call.lanes.filter((lane) => lane.asked);
  if (!asked.length) return;
  document.getElementById("member-label").hidden = false;
  for (const lane of asked) {
    const option = el("option", "", lane.title);
    option.value = lane.id;
    option.title = lane.note;
    select.append(option);
  }
  select.addEventListener("change", () => {
    const lane = asked.find((other) => other.id === select.value);
    select.value = "";
    if (!lane || lane.drawn) return;
    lane.drawn = true;
    [...select.options].find((option) => option.value === lane.id).disabled = true;
    addLineLane(lane);
    repaint();
    document.getElementById("lanes").lastElementChild.scrollIntoView({ block: "nearest" });
  });
};

const start = () => {
  draw();
  performance.mark("ready");
  document.documentElement.dataset.ready = "yes";
};

const draw = () => {
  addMinorEvents();
  addPackets();
  const lanes = document.getElementById("lanes");
  if (!lanes) return;
  addAxis();
  call.ends.forEach((end, place) => end.windows && place < 12 && addScoreLane(end, place));
  call.ends.forEach((end, place) => place < 12 && addStateLane(end, place));
  for (const lane of call.lanes) if (!lane.asked) addLineLane(lane);
  call.ends.forEach((end, place) => place < 12 && addEventLane(place, end.name));
  addEventLane(null, "the call");
  view.width = Math.max(200, Math.floor(lanes.clientWidth));
  addMembers();
  addLegend();
  addCursor();
  addKeys();
  const measure = () => {
    // While a picture of the whole page is taken it has no size at all.
    if (lanes.clientWidth < 1) return;
    const width = Math.max(200, Math.floor(lanes.clientWidth));
    if (width !== view.width) {
      view.width = width;
      repaint();
    }
  };
  for (const paint of view.painters) paint();
  new ResizeObserver(measure).observe(lanes);
  // The axis stays in sight under the bar, which takes more lines on a narrow screen.
  const bar = document.querySelector("#timeline .bar");
  new ResizeObserver(() => lanes.style.setProperty("--bar", bar.offsetHeight + "px")).observe(bar);
  readHash(true);
  addEventListener("hashchange", () => readHash(false));
  addEventListener("beforeprint", measure);
};
start();
