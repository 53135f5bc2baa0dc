// The axis of time: the clock above, the time into the call below.
const steps = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 14400];
const timeTicks = (room) => {
  const wanted = ((view.to - view.from) / view.width) * room;
  const step = steps.find((candidate) => candidate >= wanted) || 28800;
  const ticks = [];
  for (let t = Math.ceil(view.from / step - 1e-9) * step; t <= view.to; t += step) ticks.push(t);
  return { ticks, decimals: step < 1 ? 1 : 0 };
};

const drawGrid = (lane) => {
  for (const t of timeTicks(92).ticks) {
    const x = round(view.x(t));
    lane.picture.append(svg("line", { x1: x, x2: x, y1: 0, y2: lane.height, class: "grid" }));
  }
};

const addAxis = () => {
  const height = 30;
  const box = el("div", "axis");
  const picture = svg("svg", { height, class: "picture", "aria-hidden": "true" });
  box.append(picture);
  document.getElementById("lanes").append(box);
  view.painters.push(() => {
    picture.setAttribute("width", view.width);
    picture.setAttribute("viewBox", "0 0 " + view.width + " " + height);
    picture.replaceChildren();
    const { ticks, decimals } = timeTicks(92);
    for (const t of ticks) {
      const x = round(view.x(t));
      if (x > view.width - 24 || x < 18) {
        if (x > 4 && x < view.width - 4) picture.append(svg("line", { x1: x, x2: x, y1: 26, y2: 30, class: "grid" }));
        continue;
      }
      picture.append(svg("text", { x, y: 12, class: "clock" }, clock(t, decimals)));
      picture.append(svg("text", { x, y: 25, class: "into" }, "+" + relative(t, decimals)));
    }
  });
};
