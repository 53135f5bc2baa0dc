// The score of one end: what is left of 100 at the bottom, what each cause took stacked above it.
const letters = { loss: "L", jitter: "J", delay: "D", freeze: "F", framerate: "R", resolution: "S", bitrate: "B" };

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
  return end.scores[k] + state + (parts.length ? ": " + parts.join(", ") : "");
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

  const column = (c) => {
    const width = Math.max(c.right - c.x - (c.right - c.x > 4 ? 0.6 : 0), 0.8);
    const bar = (from, to, className) =>
      lane.picture.append(svg("rect", { x: round(c.x), width: round(width), y: round(y(to)), height: Math.max(0, round(y(from) - y(to))), class: className }));
    const score = end.scores[c.k];
    if (score === null) return bar(0, 100, end.state[c.k] === "s" ? "silent" : "unscored");
    bar(0, score, "left");
    let at = score;
    for (const cause of call.causes) {
      const points = end.points[cause][c.k] || 0;
      if (points > 0) bar(at, (at += points), "cause " + cause);
    }
    if (c.best > score) lane.picture.append(svg("line", { x1: round(c.x), x2: round(c.x + width), y1: y(c.best), y2: y(c.best), class: "best" }));
    const cause = topCause(end, c.k);
    if (cause && width > 13 && end.points[cause][c.k] >= 12) {
      const middle = y(score + end.points[cause][c.k] / 2) + 4;
      lane.picture.append(svg("text", { x: round(c.x + width / 2), y: round(Math.min(middle, height - 6)), class: "letter" }, end.state[c.k] === "x" ? "×" : letters[cause]));
    }
    if (width > 26 && score >= 18) lane.picture.append(svg("text", { x: round(c.x + width / 2), y: height - 6, class: "score" }, score));
  };

  view.painters.push(() => {
    lane.clear();
    drawGrid(lane);
    for (const c of columnsOf(end)) column(c);
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
  for (const finding of call.findings) {
    if (finding.from === null || finding.from === undefined) continue;
    if (finding.end !== null && finding.end !== place) continue;
    const x = view.x(finding.from);
    const right = view.x(finding.to ?? finding.from);
    if (right < 0 || x > view.width) continue;
    const group = svg("g", { class: "pin " + finding.severity });
    group.append(svg("title", {}, finding.code + ": " + finding.text));
    if (right - x > 2) group.append(svg("rect", { x: round(Math.max(0, x)), width: round(Math.min(right, view.width) - Math.max(0, x)), y: 0, height: 4 }));
    group.append(svg("path", { d: "M" + round(x) + " 0v11l5 -5.5z" }));
    lane.picture.append(group);
  }
};
