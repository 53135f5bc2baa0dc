// What an end without statistics went through: one bar a state, from dialling to its end.
const addStateLane = (end, place) => {
  const states = end.states || [];
  if (states.length < 2) return;
  const lane = makeLane("States", end.name, 24, "States of " + end.name + ": " + states.map((state) => state.label + " " + relative(state.to - state.from, 1)).join(", "));
  lane.box.querySelector(".lane-title").prepend(el("span", "key end" + (place % 6)));
  view.painters.push(() => {
    lane.clear();
    drawGrid(lane);
    for (const state of states) {
      const x = Math.max(0, view.x(state.from));
      const right = Math.min(view.width, view.x(state.to));
      if (right <= x) continue;
      const group = svg("g", { class: "state " + state.label });
      const lasted = relative(state.to - state.from, 1);
      group.append(svg("title", {}, state.label + " for " + lasted));
      group.append(svg("rect", { x: round(x), width: Math.max(1, round(right - x)), y: 2, height: 19 }));
      const text = [state.label + " " + lasted, state.label].find((words) => words.length * 6.4 + 8 < right - x);
      if (text) group.append(svg("text", { x: round(x + 4), y: 15 }, text));
      lane.picture.append(group);
    }
  });
  view.movers.push((t) => {
    const now = t === null ? null : states.find((state) => state.from <= t && t < state.to);
    lane.values.textContent = now ? now.label : "";
  });
};
