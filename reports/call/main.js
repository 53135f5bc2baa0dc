// Builds the lanes from the top: scores first, then what explains them, then what happened.
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

const addCopy = () => {
  const button = document.getElementById("copy-markdown");
  if (!button) return;
  button.hidden = false;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(call.markdown);
      button.textContent = "Copied";
    } catch {
      // Pages from a file may not have the clipboard: the text is selected then, to be copied by hand.
      const box = el("textarea", "markdown");
      box.readOnly = true;
      box.value = call.markdown;
      box.setAttribute("aria-label", "The call as Markdown");
      button.replaceWith(box);
      box.select();
    }
  });
};

const start = () => {
  draw();
  // The lanes have made the page longer since the browser went to the section of the address.
  document.getElementById(location.hash.slice(1))?.scrollIntoView({ block: "start", behavior: "instant" });
  performance.mark("ready");
  document.documentElement.dataset.ready = "yes";
};

const draw = () => {
  addMinorEvents();
  addPackets();
  addCopy();
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
