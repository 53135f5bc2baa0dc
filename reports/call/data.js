// What the page was given, made quick to draw. All of it is text or numbers; none of it is ever taken for markup.
const call = JSON.parse(document.getElementById("call-data").textContent);

const numbers = (text) =>
  text === undefined ? [] : text.split(",").map((part) => (part === "" ? null : Number(part)));

// Times come as differences in hundredths of a second; lines with the same times share them.
const times = [];
const timesOf = (number) => {
  let at = 0;
  times[number] ??= Float64Array.from(call.times[number].split(","), (part) => (at += Number(part)) / 100);
  return times[number];
};

// Values come as `12`, `least:greatest:mean`, or nothing.
const valuesOf = (text) => {
  const parts = text.split(",");
  const low = new Float64Array(parts.length);
  const high = new Float64Array(parts.length);
  const mean = new Float64Array(parts.length);
  parts.forEach((part, i) => {
    const first = part.indexOf(":");
    if (first < 0) return (low[i] = high[i] = mean[i] = part === "" ? NaN : Number(part));
    const second = part.indexOf(":", first + 1);
    low[i] = Number(part.slice(0, first));
    high[i] = Number(second < 0 ? part.slice(first + 1) : part.slice(first + 1, second));
    mean[i] = second < 0 ? (low[i] + high[i]) / 2 : Number(part.slice(second + 1));
  });
  return { low, high, mean };
};

// The numbers of a lane, once it is drawn: most of those that a reader may ask for never are.
const readLane = (lane) => {
  for (const line of lane.lines) {
    line.times = timesOf(line.t);
    Object.assign(line, valuesOf(line.v));
  }
};

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
