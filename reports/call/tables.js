// CSV of what is shown: every window of every end, then every value of every lane, within the stretch in view.
const csvField = (value) => {
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : "";
  if (value === null || value === undefined) return "";
  const text = /^[\s"']*[=+\-@\t\r|%\uFF1D\uFF0B\uFF0D\uFF20]/.test(value) ? "'" + value : value;
  return '"' + text.replace(/"/g, '""') + '"';
};

const csvText = () => {
  const rows = [["call", "end", "measure", "t_ms", "until_ms", "value", "greatest", "mean", "unit"]];
  const ms = (t) => Math.round(call.zero_ms + t * 1000);
  for (const end of call.ends) {
    for (let k = 0; k < end.windows; k++) {
      if (end.ends[k] < view.from || end.starts[k] > view.to) continue;
      const row = (measure, value, unit) => rows.push([call.id, end.name, measure, ms(end.starts[k]), ms(end.ends[k]), value, null, null, unit]);
      row("score", end.scores[k], "0-100");
      for (const cause of call.causes) if (end.points[cause][k] > 0) row("points_lost." + cause, end.points[cause][k], "points");
      if (end.clients[k] != null) row("client_score", end.clients[k], "0-100");
    }
  }
  for (const lane of call.lanes) {
    if (lane.asked && !lane.drawn) continue;
    for (const line of lane.lines) {
      for (let k = 0; k < line.times.length; k++) {
        if (line.times[k] < view.from || line.times[k] > view.to || Number.isNaN(line.low[k])) continue;
        const isOne = line.high[k] === line.low[k];
        const [high, mean] = isOne ? [null, null] : [line.high[k], line.mean[k]];
        rows.push([call.id, line.label, lane.id, ms(line.times[k]), null, line.low[k], high, mean, lane.unit]);
      }
    }
  }
  return rows.map((row) => row.map(csvField).join(",")).join("\r\n") + "\r\n";
};

const downloadCSV = () => download(csvText(), "");

const download = (text, suffix) => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  link.download = (call.id.replace(/[^A-Za-z0-9_-]+/g, "_").slice(0, 80) || "call") + suffix + ".csv";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
};

const addMinorEvents = () => {
  const box = document.getElementById("minor");
  if (box) box.addEventListener("change", () => document.getElementById("events").classList.toggle("all", box.checked));
};
