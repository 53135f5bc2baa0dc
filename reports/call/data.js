// What the page was given, made quick to draw. All of it is text or numbers; none of it is ever taken for markup.
const call = JSON.parse(document.getElementById("call-data").textContent);

const numbers = (text) =>
  text === undefined ? [] : text.split(",").map((part) => (part === "" ? null : Number(part)));

// Times come as differences in hundredths of a second.
const timesOf = (text) => {
  let at = 0;
  return Float64Array.from(text.split(","), (part) => (at += Number(part)) / 100);
};

// Values come as `12`, `least:greatest:mean`, or nothing.
const valuesOf = (text) => {
  const parts = text.split(",");
  const low = new Float64Array(parts.length);
  const high = new Float64Array(parts.length);
  const mean = new Float64Array(parts.length);
  parts.forEach((part, i) => {
    if (part === "" || !part.includes(":")) low[i] = high[i] = mean[i] = part === "" ? NaN : Number(part);
    else [low[i], high[i], mean[i] = (low[i] + high[i]) / 2] = part.split(":").map(Number);
  });
  return { low, high, mean };
};

for (const lane of call.lanes) {
  for (const line of lane.lines) {
    line.times = timesOf(line.t);
    Object.assign(line, valuesOf(line.v));
  }
}

for (const end of call.ends) {
  const count = end.state.length;
  end.starts = numbers(end.start_s);
  end.ends = numbers(end.end_s);
  end.scores = end.score === undefined ? new Array(count).fill(null) : numbers(end.score);
  end.clients = end.client === undefined ? [] : numbers(end.client);
  end.audio = numbers(end.audio);
  end.video = numbers(end.video);
  end.points = {};
  for (const cause of call.causes) end.points[cause] = numbers(end["lost_" + cause]);
  end.windows = count;
}

// The last index whose time is not after t; -1 before the first.
const indexAt = (times, t) => {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] <= t) low = middle + 1;
    else high = middle;
  }
  return low - 1;
};

// How far the clocks of the page's zone are ahead of UTC, and from when on.
const offsets = { from: numbers(call.offsets_from_s), ahead: numbers(call.offsets_s) };

// Poor as the sentences above count it: the whole, or the sound or the picture by itself.
const isPoorAt = (end, k) => [end.scores[k], end.audio[k], end.video[k]].some((value) => value != null && value < 60);

const windowAt = (end, t) => {
  const k = indexAt(end.starts, t);
  return k >= 0 && t < end.ends[k] + 1e-6 ? k : -1;
};

const stateWords = { a: "", x: "nothing arrived", s: "silent", u: "not scored" };
