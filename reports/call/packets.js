// The packets of captured streams, a screen of rows at a time.
const packetStates = { o: "", x: "lost", l: "late", d: "twice", r: "sender began anew" };
const packetRowsShown = 50;

const addPackets = () => {
  const streams = call.packets || [];
  if (!streams.length) return;
  const pick = (id) => document.getElementById(id);
  const body = pick("packet-rows").tBodies[0];
  const columns = ["t", "frame", "sequence", "timestamp", "type", "marker", "bytes", "delta", "jitter"];
  let stream = null;
  let top = 0;

  const read = (place) => {
    const found = streams[place];
    if (!found.columns) {
      found.count = found.state.length;
      found.columns = columns.map((name) => (found[name] === undefined ? new Array(found.count).fill(null) : numbers(found[name])));
      found.gaps = new Map(numbers(found.gap_at).map((at, k) => [at, numbers(found.gap_rows)[k]]));
    }
    return found;
  };
  const written = (value, column) =>
    value === null || value === undefined ? "" : columns[column] === "t" ? value.toFixed(4) : columns[column] === "marker" ? (value ? "M" : "") : String(value);

  const show = (at) => {
    top = Math.max(0, Math.min(at, stream.count - packetRowsShown));
    const until = Math.min(stream.count, top + packetRowsShown);
    const rows = [];
    for (let k = top; k < until; k++) {
      if (stream.gaps.has(k)) {
        const left = el("tr", "second");
        const cell = el("td", "", "… " + stream.gaps.get(k) + " not on this page …");
        cell.colSpan = columns.length + 1;
        left.append(cell);
        rows.push(left);
      }
      const row = el("tr", stream.state[k] === "o" ? "" : "odd");
      stream.columns.forEach((values, column) => row.append(el("td", "n", written(values[k], column))));
      row.append(el("td", "", packetStates[stream.state[k]]));
      rows.push(row);
    }
    body.replaceChildren(...rows);
    pick("packet-place").textContent = stream.count ? "rows " + (top + 1) + " to " + until + " of " + stream.count : "no row";
  };

  // The first row of the next, or of the previous, run of rows that are not in order.
  const odd = (step) => {
    const isOdd = (k) => k >= 0 && k < stream.count && stream.state[k] !== "o";
    const start = step > 0 ? top + 10 : top + 9;
    for (let k = start + (step > 0 ? 1 : -1); k >= 0 && k < stream.count; k += step) {
      if (isOdd(k) && !isOdd(k - 1)) return show(Math.max(0, k - 10));
    }
  };
  const atCursor = () => {
    const t = view.cursor ?? view.from;
    let k = stream.columns[0].findIndex((value) => value !== null && value >= t);
    if (k < 0) k = stream.count - 1;
    show(k - 10);
  };
  const change = () => {
    const place = Number(pick("packet-stream").value);
    stream = read(place);
    for (const note of document.querySelectorAll(".packet-note")) note.hidden = note.dataset.stream !== String(place);
    show(0);
  };
  const packetCSV = () => {
    const lines = [["call", "stream", ...columns.map((name) => (name === "t" ? "t_s" : name)), "state"]];
    for (let k = 0; k < stream.count; k++) {
      lines.push([call.id, stream.title, ...stream.columns.map((values) => values[k]), packetStates[stream.state[k]] || "ok"]);
    }
    return lines.map((line) => line.map(csvField).join(",")).join("\r\n") + "\r\n";
  };

  pick("packet-bar").hidden = pick("packet-rows").parentElement.hidden = false;
  pick("packet-stream").addEventListener("change", change);
  for (const [id, action] of [
    ["packet-earlier", () => show(top - packetRowsShown)], ["packet-later", () => show(top + packetRowsShown)],
    ["packet-previous", () => odd(-1)], ["packet-next", () => odd(1)], ["packet-cursor", atCursor],
    ["packet-csv", () => download(packetCSV(), "-packets")],
  ]) pick(id).addEventListener("click", action);
  change();
};
