// Keys and buttons do the same things.
const badMoments = () => {
  const moments = [];
  for (const end of call.ends) {
    let wasBad = false;
    for (let k = 0; k < end.windows; k++) {
      const isBad = isPoorAt(end, k);
      if (isBad && !wasBad) moments.push(end.starts[k]);
      wasBad = isBad;
    }
  }
  for (const finding of call.findings) if (finding.from != null) moments.push(finding.from);
  return [...new Set(moments.map((t) => Math.max(0, Math.ceil(t * 100) / 100)))].sort((a, b) => a - b);
};

const goToBad = (direction) => {
  const moments = badMoments();
  const at = view.cursor ?? -1;
  const next = direction > 0 ? moments.find((t) => t > at + 0.02) : moments.findLast((t) => t < at - 0.02);
  if (next === undefined) return;
  const length = view.to - view.from;
  if (next < view.from || next > view.to) view.show(next - length / 2, next + length / 2);
  view.point(next);
};

const moveCursor = (direction, isFast) => {
  const step = ((view.to - view.from) / 200) * (isFast ? 10 : 1);
  const t = (view.cursor ?? (direction > 0 ? view.from : view.to)) + direction * step;
  if (t < view.from) view.pan(-0.25);
  if (t > view.to) view.pan(0.25);
  view.point(t);
};

const actions = {
  "zoom-in": () => view.zoom(0.5),
  "zoom-out": () => view.zoom(2),
  earlier: () => view.pan(-0.5),
  later: () => view.pan(0.5),
  all: () => view.show(0, call.span_s),
  "previous-bad": () => goToBad(-1),
  "next-bad": () => goToBad(1),
  csv: () => downloadCSV(),
  keys: () => document.getElementById("help").showModal(),
};

const keyActions = {
  ArrowLeft: (event) => moveCursor(-1, event.shiftKey),
  ArrowRight: (event) => moveCursor(1, event.shiftKey),
  "+": actions["zoom-in"], "=": actions["zoom-in"], "-": actions["zoom-out"],
  "[": actions.earlier, "]": actions.later, 0: actions.all,
  Home: () => view.point(view.from), End: () => view.point(view.to),
  n: actions["next-bad"], p: actions["previous-bad"], "?": actions.keys,
  Escape: () => view.point(null),
};

const addKeys = () => {
  for (const id in actions) document.getElementById(id).addEventListener("click", actions[id]);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.getElementById("help").open) return;
    const target = event.target;
    // Arrows belong to whatever scrolls or takes text.
    if (target.closest && target.closest("input, select, textarea")) return;
    if (target.closest && target.closest(".scroll, summary") && event.key.length > 1) return;
    const action = keyActions[event.key];
    if (!action) return;
    event.preventDefault();
    action(event);
  });
};
