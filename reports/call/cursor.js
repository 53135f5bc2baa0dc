// One line through all lanes, moved by the mouse, a finger or the keys; dragging chooses what to see.
const addCursor = () => {
  const lanes = document.getElementById("lanes");
  const line = el("div", "cursor-line");
  const choice = el("div", "choice");
  lanes.append(line, choice);
  line.hidden = choice.hidden = true;
  const output = document.getElementById("moment");

  view.movers.push((t) => {
    const inside = t !== null && t >= view.from && t <= view.to;
    line.hidden = !inside;
    if (inside) line.style.transform = "translateX(" + view.x(t) + "px)";
    output.textContent = t === null ? "" : clock(t, 2) + " · +" + relative(t, 2);
    lanes.setAttribute("aria-valuemax", short(call.span_s));
    lanes.setAttribute("aria-valuenow", t === null ? "0" : short(t));
    lanes.setAttribute("aria-valuetext", t === null ? "no moment chosen" : spoken(t));
  });

  // What a screen reader says of a moment.
  const spoken = (t) =>
    relative(t, 1) + " into the call" + call.ends.map((end) => {
      const k = windowAt(end, t);
      return k < 0 ? "" : ", " + end.name + " score " + scoreWords(end, k);
    }).join("");

  const timeOf = (event) => view.t(event.clientX - lanes.getBoundingClientRect().left);
  let drag = null;
  lanes.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    drag = { t: timeOf(event), x: event.clientX, from: view.from, to: view.to, isPan: event.shiftKey, moved: false };
    if (event.pointerType === "mouse") lanes.setPointerCapture(event.pointerId);
  });
  lanes.addEventListener("pointermove", (event) => {
    const t = timeOf(event);
    if (!drag || event.pointerType !== "mouse") {
      if (t >= view.from && t <= view.to) view.point(t);
      return;
    }
    if (Math.abs(event.clientX - drag.x) > 4) drag.moved = true;
    if (drag.isPan) {
      const shift = ((drag.x - event.clientX) / view.width) * (drag.to - drag.from);
      return view.show(drag.from + shift, drag.to + shift);
    }
    view.point(t);
    const [a, b] = [view.x(drag.t), view.x(Math.min(Math.max(t, view.from), view.to))].sort((p, q) => p - q);
    choice.hidden = !drag.moved;
    choice.style.transform = "translateX(" + a + "px)";
    choice.style.width = b - a + "px";
  });
  lanes.addEventListener("pointerup", (event) => {
    choice.hidden = true;
    if (drag && drag.moved && !drag.isPan && event.pointerType === "mouse") {
      const t = timeOf(event);
      view.show(Math.min(drag.t, t), Math.max(drag.t, t));
    } else if (drag) view.point(timeOf(event));
    drag = null;
  });
  lanes.addEventListener("pointercancel", () => ((drag = null), (choice.hidden = true)));
  lanes.addEventListener("dblclick", () => view.show(0, call.span_s));
  lanes.addEventListener("wheel", (event) => {
    if (event.ctrlKey || event.metaKey) view.zoom(event.deltaY > 0 ? 1.25 : 0.8, timeOf(event));
    else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) view.pan(event.deltaX / view.width);
    else return;
    event.preventDefault();
  }, { passive: false });

  // Two fingers zoom.
  const fingers = new Map();
  lanes.addEventListener("touchmove", (event) => {
    if (event.touches.length !== 2) return;
    const [a, b] = [...event.touches].map((touch) => touch.clientX);
    const apart = Math.abs(a - b);
    const before = fingers.get("apart");
    if (before && apart > 10) view.zoom(before / apart, view.t((a + b) / 2 - lanes.getBoundingClientRect().left));
    fingers.set("apart", apart);
    event.preventDefault();
  }, { passive: false });
  lanes.addEventListener("touchend", () => fingers.clear());
};
