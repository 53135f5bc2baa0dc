// A measure as a line. Where several samples share a pixel it runs through their mean, amid a band from the least of them to the
// greatest.
const pathOf = (line, y) => {
  const { times, low, high, mean } = line;
  const gap = Math.max(10, 4 * typicalStep(line));
  let path = "";
  let band = "";
  let drawn = 0;
  // What belongs together, without a gap in it.
  let run = [];
  const end = () => {
    if (run.length === 1) path += "h1";
    if (run.some((point) => point.top < point.bottom)) band += outline(run, line.step);
    run = [];
  };
  for (let k = Math.max(0, indexAt(times, view.from) - 1); k < times.length; k++) {
    const t = times[k];
    if (run.length && (Number.isNaN(low[k]) || (k > 0 && t - times[k - 1] > gap))) end();
    if (Number.isNaN(low[k])) continue;
    const x = round(view.x(t));
    // Everything in this pixel.
    let least = low[k];
    let greatest = high[k];
    let sum = mean[k];
    let count = 1;
    while (k + 1 < times.length && !Number.isNaN(low[k + 1]) && view.x(times[k + 1]) - x < 0.7) {
      k += 1;
      least = Math.min(least, low[k]);
      greatest = Math.max(greatest, high[k]);
      sum += mean[k];
      count += 1;
    }
    const middle = y(sum / count);
    if (!run.length) path += "M" + x + " " + middle;
    else if (line.step) path += "H" + x + "V" + middle;
    else path += "L" + x + " " + middle;
    run.push({ x, top: y(greatest), bottom: y(least) });
    drawn += 1;
    if (t > view.to) break;
  }
  end();
  // Dashes of a crowded line cannot be told apart, and cost seconds to draw.
  return { d: path, band, isDense: drawn > 500 };
};

// Around all that lies between the least and the greatest values of a run: along the one, back along the other.
const outline = (run, isStep) => {
  const [first] = run;
  if (run.length === 1) return "M" + first.x + " " + first.top + "h1V" + first.bottom + "h-1z";
  let path = "M" + first.x + " " + first.top;
  for (const point of run.slice(1)) path += (isStep ? "H" + point.x + "V" : "L" + point.x + " ") + point.top;
  for (const point of run.slice().reverse()) path += (isStep ? "V" + point.bottom + "H" + point.x : "L" + point.x + " " + point.bottom);
  return path + "z";
};

const typicalStep = (line) => {
  if (line.typical === undefined) {
    const gaps = [];
    for (let k = 1; k < Math.min(line.times.length, 200); k++) gaps.push(line.times[k] - line.times[k - 1]);
    gaps.sort((a, b) => a - b);
    line.typical = gaps.length ? gaps[gaps.length >> 1] : 1;
    if (line.step) line.typical = Infinity;
  }
  return line.typical;
};

// The least and the greatest value shown, rounded to pleasant numbers; the least is 0 unless one is below.
const boundsOf = (lane) => {
  let greatest = lane.top;
  let least = 0;
  for (const line of lane.lines) {
    const from = Math.max(0, indexAt(line.times, view.from) - 1);
    for (let k = from; k < line.times.length && line.times[k] <= view.to; k++) {
      if (line.high[k] > greatest) greatest = line.high[k];
      if (line.low[k] < least) least = line.low[k];
    }
  }
  return { top: pleasant(greatest), bottom: least < 0 ? -pleasant(-least) : 0 };
};

const pleasant = (value) => {
  const size = 10 ** Math.floor(Math.log10(value));
  return [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].map((factor) => factor * size).find((top) => top >= value - 1e-9);
};

const addLineLane = (data) => {
  readLane(data);
  const height = 84;
  const lane = makeLane(data.title, data.note, height, data.title + " over time, in " + data.unit);
  if (data.left) lane.values.before(el("span", "lane-left", "drawn: " + data.left));
  const keys = data.lines.map((line) => {
    const entry = el("span", "line-key");
    const sample = svg("svg", { width: 18, height: 8, "aria-hidden": "true" });
    sample.append(svg("path", { d: "M0 4H18", class: "line end" + (line.end % 6) + " " + line.dash }));
    const value = el("b");
    entry.append(sample, el("span", "", line.label), value);
    lane.values.append(entry);
    return value;
  });
  view.painters.push(() => {
    lane.clear();
    drawGrid(lane);
    const { top, bottom } = boundsOf(data);
    const y = (value) => round(height - 2 - ((value - bottom) / (top - bottom)) * (height - 14));
    const middle = bottom < 0 ? 0 : top / 2;
    for (const value of [middle, top]) {
      lane.picture.append(svg("line", { x1: 0, x2: view.width, y1: y(value), y2: y(value), class: "grid" }));
    }
    data.lines.forEach((line) => {
      const { d, band, isDense } = pathOf(line, y);
      if (isAside("end", line.end)) return;
      if (band) lane.picture.append(svg("path", { d: band, class: "band end" + (line.end % 6) }));
      lane.picture.append(svg("path", { d, class: "line end" + (line.end % 6) + (isDense ? " dense " : " ") + line.dash }));
    });
    if (data.words) data.words.forEach((word, value) => lane.picture.append(svg("text", { x: 3, y: y(value) - 3, class: "tick" }, word)));
    else {
      lane.picture.append(svg("text", { x: 3, y: y(top) - 3, class: "tick" }, tickText(top) + " " + data.unit));
      lane.picture.append(svg("text", { x: 3, y: y(middle) - 3, class: "tick" }, tickText(middle)));
    }
  });
  view.movers.push((t) => data.lines.forEach((line, i) => (keys[i].textContent = t === null ? "" : valueText(data, line, t))));
};

const tickText = (value) => String(Math.round(value * 100) / 100);
const valueText = (data, line, t) => {
  const k = nearest(line, t);
  if (k < 0 || Number.isNaN(line.low[k])) return "–";
  if (data.words) return data.words[Math.round(line.mean[k])] ?? "–";
  const text = (value) => value.toFixed(data.decimals);
  if (line.low[k] === line.high[k]) return text(line.low[k]) + " " + data.unit;
  return text(line.mean[k]) + " (" + text(line.low[k]) + "–" + text(line.high[k]) + ") " + data.unit;
};
const nearest = (line, t) => {
  const k = indexAt(line.times, t);
  if (line.step || k < 0) return line.step && k >= line.times.length - 1 && t > line.times[k] + 1 ? -1 : k;
  const better = k + 1 < line.times.length && line.times[k + 1] - t < t - line.times[k] ? k + 1 : k;
  return Math.abs(line.times[better] - t) > Math.max(10, 4 * typicalStep(line)) ? -1 : better;
};
