// The score of one end: what is left of 100 at the bottom, what each cause took stacked above it.
const letters = { loss: "L", jitter: "J", delay: "D", freeze: "F", framerate: "R", resolution: "S", bitrate: "B", coding: "C", silence: "Q", playout: "P" };

const topCause = (end, k) => {
  let best = null;
  for (const cause of call.causes) {
    if ((end.points[cause][k] || 0) > (best === null ? 0 : end.points[best][k])) best = cause;
  }
  return best;
};

const scoreWords = (end, k) => {
  if (end.scores[k] === null) return stateWords[end.state[k]] || "no score";
  const parts = call.causes
    .filter((cause) => end.points[cause][k] > 0)
    .sort((a, b) => end.points[b][k] - end.points[a][k])
    .map((cause) => cause + " −" + end.points[cause][k]);
  const state = end.state[k] === "x" ? " (nothing arrived)" : "";
  const poor = [["sound", end.audio[k]], ["picture", end.video[k]]]
    .filter((part) => part[1] != null && part[1] < 60)
    .map((part) => " · poor " + part[0] + " (" + Math.round(part[1]) + ")");
  return end.scores[k] + state + (parts.length ? ": " + parts.join(", ") : "") + poor.join("");
};

// Windows that share a pixel are shown as the worst of them, with the best as a faint mark, so that nothing is hidden.
const columnsOf = (end) => {
  const columns = [];
  const first = Math.max(0, indexAt(end.starts, view.from));
  for (let k = first; k < end.windows && end.starts[k] < view.to; k++) {
    const x = view.x(end.starts[k]);
    const right = view.x(end.ends[k]);
    const last = columns[columns.length - 1];
    if (last && right - last.x < 1.5) {
      last.right = right;
      const score = end.scores[k];
      if (score !== null) {
        if (end.scores[last.k] === null || score < end.scores[last.k]) last.k = k;
        last.best = Math.max(last.best ?? score, score);
      }
    } else {
      columns.push({ x, right, k, best: end.scores[k] });
    }
  }
  return columns;
};

const addScoreLane = (end, place) => {
  const height = 96;
  const y = (score) => height - 2 - (score / 100) * (height - 6);
  const lane = makeLane("Score", end.name, height, "Score of " + end.name + " over time, points lost stacked by cause");
  lane.box.classList.add("score-lane");
  lane.box.querySelector(".lane-title").prepend(el("span", "key end" + (place % 6)));

  // Bars of one kind are one path: thousands of elements would make zooming slow.
  let shapes = new Map();
  const column = (c, texts) => {
    const width = Math.max(c.right - c.x - (c.right - c.x > 4 ? 0.6 : 0), 0.8);
    const bar = (from, to, className) => {
      const path = "M" + round(c.x) + " " + round(y(to)) + "h" + round(width) + "V" + round(y(from)) + "h" + -round(width) + "z";
      shapes.set(className, (shapes.get(className) || "") + path);
    };
    const score = end.scores[c.k];
    if (score === null) return bar(0, 100, end.state[c.k] === "s" ? "silent" : "unscored");
    bar(0, score, "left");
    let at = score;
    for (const cause of call.causes) {
      const points = end.points[cause][c.k] || 0;
      if (points > 0) bar(at, (at += points), "cause " + cause + (isAside("cause", cause) ? " aside" : ""));
    }
    if (c.best > score) bar(c.best, c.best + 1, "best");
    const cause = topCause(end, c.k);
    const text = (x, y, className, content) => texts.push(svg("text", { x: round(x), y: round(y), class: className }, content));
    if (cause && width > 13 && end.points[cause][c.k] >= 12) {
      const below = call.causes.slice(0, call.causes.indexOf(cause)).reduce((sum, other) => sum + (end.points[other][c.k] || 0), score);
      const middle = y(below + end.points[cause][c.k] / 2) + 4;
      text(c.x + width / 2, Math.min(middle, height - 6), "letter", end.state[c.k] === "x" ? "×" : letters[cause]);
    }
    if (width > 26 && score >= 18) text(c.x + width / 2, height - 6, "score", score);
  };

  view.painters.push(() => {
    lane.clear();
    lane.box.classList.toggle("aside", isAside("end", place));
    drawGrid(lane);
    const texts = [];
    shapes = new Map();
    for (const c of columnsOf(end)) column(c, texts);
    for (const [className, d] of shapes) lane.picture.append(svg("path", { d, class: className }));
    lane.picture.append(...texts);
    drawClient(end, lane, y);
    drawFindings(place, lane);
  });
  view.movers.push((t) => {
    const k = t === null ? -1 : windowAt(end, t);
    lane.values.textContent = t === null ? "" : k < 0 ? "no window" : scoreWords(end, k) + (end.clients[k] != null ? " · client says " + end.clients[k] : "");
  });
};

// What the client itself reported holds until its next report.
const drawClient = (end, lane, y) => {
  let path = "";
  end.clients.forEach((value, k) => {
    if (value === null || end.ends[k] < view.from || end.starts[k] > view.to) return;
    const joined = k > 0 && end.clients[k - 1] !== null && path !== "";
    path += (joined ? "L" : "M") + round(view.x(end.starts[k])) + " " + round(y(value)) + "H" + round(view.x(end.ends[k]));
  });
  if (path) lane.picture.append(svg("path", { d: path, class: "client" }));
};

// Findings are pinned to the score they belong to.
const drawFindings = (place, lane) => {
  // Those of a code that lie upon each other are one pin.
  const pins = new Map();
  for (const finding of call.findings) {
    if (finding.from === null || finding.from === undefined) continue;
    if (finding.end !== null && finding.end !== place) continue;
    const x = view.x(finding.from);
    const right = view.x(finding.to ?? finding.from);
    if (right < 0 || x > view.width) continue;
    const key = finding.code + finding.severity + Math.round(x / 4);
    const pin = pins.get(key);
    if (!pin) pins.set(key, { finding, x, right, count: 1 });
    else Object.assign(pin, { right: Math.max(pin.right, right), count: pin.count + 1 });
  }
  for (const { finding, x, right, count } of pins.values()) {
    const group = svg("g", { class: "pin " + finding.severity });
    const often = count > 1 ? count + " × " : "";
    group.append(svg("title", {}, often + finding.code + (finding.text && !often ? ": " + finding.text : "")));
    if (right - x > 2) group.append(svg("rect", { x: round(Math.max(0, x)), width: round(Math.min(right, view.width) - Math.max(0, x)), y: 0, height: 4 }));
    group.append(svg("path", { d: "M" + round(x) + " 0v11l5 -5.5z" }));
    lane.picture.append(group);
  }
};
