// What happened at an end: marks for moments, bars for what lasted, the path its packets took.
const addEventLane = (place, name) => {
  const events = call.events.filter((event) => (event.end ?? null) === place);
  const spans = call.spans.filter((span) => (span.end ?? null) === place);
  const paths = call.paths.filter((path) => path.end === place);
  if (!events.length && !spans.length && !paths.length) return;
  const rows = stack(spans);
  const spanTop = 20;
  const pathTop = spanTop + rows.count * 16;
  const height = pathTop + (paths.length ? 17 : 0) + 2;
  const lane = makeLane("Events", name, height, "Events of " + name);
  if (place !== null) lane.box.querySelector(".lane-title").prepend(el("span", "key end" + (place % 6)));

  const block = (from, to, top, className, label) => {
    const x = Math.max(0, view.x(from));
    const right = Math.min(view.width, view.x(to));
    if (right < 0 || x > view.width || right <= x) return;
    const group = svg("g", { class: className });
    group.append(svg("title", {}, label));
    group.append(svg("rect", { x: round(x), width: Math.max(1, round(right - x)), y: top, height: 14, rx: 2 }));
    const room = Math.floor((right - x - 8) / 6.2);
    if (room >= 3) group.append(svg("text", { x: round(x + 4), y: top + 11 }, label.length > room ? label.slice(0, room - 1) + "…" : label));
    lane.picture.append(group);
  };

  view.painters.push(() => {
    lane.clear();
    drawGrid(lane);
    let free = 0;
    const names = [];
    // Of one kind and within two pixels: one mark.
    const marks = new Map();
    for (const event of events) {
      const x = view.x(event.t);
      if (x < -2 || x > view.width + 2) continue;
      const key = kindOf(event) + (x >> 1);
      if (!marks.has(key)) marks.set(key, { x, events: [] });
      marks.get(key).events.push(event);
      const text = event.name;
      if (!event.minor && x >= free && x + text.length * 6 < view.width) {
        names.push(svg("text", { x: round(x + 4), y: 13, class: "event-name" }, text));
        free = x + text.length * 6 + 14;
      }
    }
    for (const { x, events } of marks.values()) {
      const mark = svg("path", { d: "M" + round(x) + " 1v16", class: "mark " + kindOf(events[0]) });
      mark.append(svg("title", {}, titleOf(events)));
      lane.picture.append(mark);
    }
    lane.picture.append(...names);
    spans.forEach((span, i) => block(span.from, span.to ?? call.span_s, spanTop + rows.row[i] * 16, "span", span.label));
    paths.forEach((path, i) => block(path.from, paths[i + 1] ? paths[i + 1].from : call.span_s, pathTop, "path", path.label));
  });
  view.movers.push((t) => {
    if (t === null) return (lane.values.textContent = "");
    const near = events.filter((event) => Math.abs(event.t - t) <= Math.max(0.25, (view.to - view.from) / 200));
    const lasting = spans.filter((span) => span.from <= t && t <= (span.to ?? call.span_s)).map((span) => span.label);
    lane.values.textContent = lasting.concat(near.slice(0, 6).map((event) => event.name)).join(", ");
  });
};

// What a mark stands for: an event, or how many of what.
const titleOf = (events) => {
  const [event] = events;
  if (events.length === 1) return clock(event.t, 3) + " " + event.name + (event.args ? " " + event.args : "");
  const counts = new Map();
  for (const { name } of events) counts.set(name, (counts.get(name) || 0) + 1);
  const words = [...counts].slice(0, 8).map(([name, count]) => (count > 1 ? count + " × " : "") + name);
  return clock(event.t, 3) + "–" + clock(events[events.length - 1].t, 3) + " " + words.join(", ");
};

const kindOf = (event) =>
  event.anomaly || /failed|lost|disconnected|dropout/.test(event.name) ? "bad" : event.minor ? "minor" : "plain";

// Spans that overlap go under each other.
const stack = (spans) => {
  const ends = [];
  const row = spans.map((span) => {
    let k = ends.findIndex((end) => end <= span.from);
    if (k < 0) k = ends.length < 8 ? ends.length : 7;
    ends[k] = span.to ?? call.span_s;
    return k;
  });
  return { row, count: ends.length };
};
