// What is shown of the call, and everything that has to be drawn anew when that changes.
const view = {
  from: 0,
  to: call.span_s,
  cursor: null,
  width: 800,
  // The end and the cause that are shown alone.
  only: { end: null, cause: null },
  painters: [],
  movers: [],

  x(t) {
    return ((t - this.from) / (this.to - this.from)) * this.width;
  },
  t(x) {
    return this.from + (x / this.width) * (this.to - this.from);
  },
  // Shows a stretch, at least a fifth of a second of it, and never beyond the call.
  show(from, to, keepHash) {
    const length = Math.min(Math.max(to - from, 0.2), call.span_s);
    this.from = Math.min(Math.max(from, 0), call.span_s - length);
    this.to = this.from + length;
    if (!keepHash) saveHash();
    repaint();
  },
  zoom(factor, around) {
    const at = around ?? this.cursor ?? (this.from + this.to) / 2;
    this.show(at - (at - this.from) * factor, at + (this.to - at) * factor);
  },
  pan(share) {
    const step = (this.to - this.from) * share;
    this.show(this.from + step, this.to + step);
  },
  point(t, keepHash) {
    this.cursor = t === null ? null : Math.min(Math.max(t, 0), call.span_s);
    if (!keepHash) saveHash();
    for (const move of this.movers) move(this.cursor);
  },
};

let pending = false;
const repaint = () => {
  if (pending) return;
  pending = true;
  requestAnimationFrame(() => {
    pending = false;
    for (const paint of view.painters) paint();
    for (const move of view.movers) move(view.cursor);
  });
};

// The address holds the moment and the zoom, so that a link leads to both: #t=12.5&z=5-20
let hashTimer = 0;
const hashText = () => {
  const parts = [];
  if (view.cursor !== null) parts.push("t=" + short(view.cursor));
  if (view.from > 0 || view.to < call.span_s) parts.push("z=" + short(view.from) + "-" + short(view.to));
  return parts.length ? "#" + parts.join("&") : "";
};
const saveHash = () => {
  clearTimeout(hashTimer);
  hashTimer = setTimeout(() => history.replaceState(null, "", hashText() || location.pathname + location.search), 150);
};
const readHash = (isArrival) => {
  const part = (name) => new RegExp("(?:^#|&)" + name + "=([0-9.]+)(?:-([0-9.]+))?").exec(location.hash);
  const zoom = part("z");
  const moment = part("t");
  if (zoom && zoom[2]) view.show(Number(zoom[1]), Number(zoom[2]), true);
  if (moment) {
    const t = Number(moment[1]);
    if (t < view.from || t > view.to) view.show(t - (view.to - view.from) / 2, t + (view.to - view.from) / 2, true);
    view.point(t, true);
  }
  if (!zoom && !moment) return;
  // Who comes back to the page, or loads it again, is where they were.
  if (isArrival && performance.getEntriesByType("navigation").some((entry) => entry.type !== "navigate")) return;
  document.getElementById("timeline").scrollIntoView({ block: "start", behavior: isArrival ? "instant" : "auto" });
};

const short = (value) => String(Math.round(value * 100) / 100);
const pad = (value, digits) => String(Math.floor(value)).padStart(digits, "0");

// 4:12, 1:02:03, with a decimal where the view is close.
const relative = (t, decimals) => {
  const scale = 10 ** (decimals || 0);
  const all = Math.round(t * scale) / scale;
  const h = Math.floor(all / 3600);
  const m = Math.floor(all / 60) % 60;
  const s = all - h * 3600 - m * 60;
  const seconds = decimals ? s.toFixed(decimals).padStart(3 + decimals, "0") : pad(s, 2);
  return (h ? h + ":" + pad(m, 2) : m) + ":" + seconds;
};
// The clock of the zone in which the page was made; its offset may change during the call.
const offsetAt = (t) => offsets.ahead[Math.max(0, indexAt(offsets.from, t))];
const clock = (t, decimals) => {
  const scale = 10 ** (decimals || 0);
  const ms = Math.round((call.zero_ms / 1000 + offsetAt(t) + t) * scale) * (1000 / scale);
  const iso = new Date(ms).toISOString();
  return iso.slice(11, decimals ? 20 + decimals : 19);
};

// Elements with text, never with markup.
const svgSpace = "http://www.w3.org/2000/svg";
const svg = (tag, attributes, text) => {
  const element = document.createElementNS(svgSpace, tag);
  for (const name in attributes) element.setAttribute(name, attributes[name]);
  if (text !== undefined) element.textContent = text;
  return element;
};
const el = (tag, className, text) => {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
};
const round = (value) => Math.round(value * 10) / 10;

// A lane: a heading with room for the values at the cursor, and a picture under it.
const makeLane = (title, note, height, label) => {
  const box = el("div", "lane");
  const head = el("div", "lane-head");
  head.append(el("span", "lane-title", title));
  if (note) head.append(el("span", "lane-note", note));
  const values = el("span", "lane-values");
  head.append(values);
  const picture = svg("svg", { height, class: "picture", role: "img", "aria-label": label || title, preserveAspectRatio: "none" });
  box.append(head, picture);
  document.getElementById("lanes").append(box);
  const clear = () => {
    picture.setAttribute("viewBox", "0 0 " + view.width + " " + height);
    picture.setAttribute("width", view.width);
    picture.replaceChildren();
  };
  return { box, picture, values, height, clear };
};
