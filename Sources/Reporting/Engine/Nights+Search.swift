import CallModel
import Rendering

/// Search over all nights. Each night has a file with its calls, which the index page loads when somebody searches.
extension Nights {
  /// Name of the file with a night's calls, in the night's folder.
  static let callsFile = "calls.js"
  /// Maximum number of calls in that file.
  static let maxCalls = 100_000

  /// What the search knows about a call.
  struct KnownCall: Sendable, Equatable {
    let id: String
    /// Its verdict or, without one, its outcome.
    let what: String
    /// People and numbers in the call, as stored: pseudonyms if the import made them.
    let people: String
    /// Path of its page, relative to the report's folder; nil if it has none.
    let file: String?
  }

  /// The calls of a report, by id.
  static func calls(of slice: Slice, pages: [String: String], in rows: any RowSource) throws -> [KnownCall] {
    var calls: [KnownCall] = []
    try rows.forEachRow(
      """
      SELECT k.call_id, coalesce(k.verdict, k.outcome), (SELECT group_concat(value, ', ') FROM (
        SELECT DISTINCT a.value FROM source_views AS c JOIN aliases AS a USING (connection_key)
        WHERE c.call_key = k.call_key AND a.kind = 'person' LIMIT 8))
      FROM judged_calls AS k
      WHERE (:run IS NULL OR k.run_id = :run) AND (:since IS NULL OR k.night_ms >= :since)
        AND (:until IS NULL OR k.night_ms < :until)
      ORDER BY k.call_id, k.call_key LIMIT \(maxCalls)
      """, slice.parameters(), columns: { _ in },
      row: { row in
        guard let id = row[0].string else { return }
        calls.append(
          KnownCall(id: id, what: row[1].string ?? "", people: row[2].string ?? "", file: pages[id]))
      })
    return calls
  }

  /// The content of the file: a call of `callqaNight` with the run of the night (`null` for a time range), and one line
  /// per call.
  static func script(_ calls: [KnownCall], run: String?) -> [UInt8] {
    var bytes = Array("callqaNight(".utf8)
    JSONBytes.append(run.map { .text($0) } ?? Cell.null, to: &bytes)
    bytes += Array(",[\n".utf8)
    for (index, call) in calls.enumerated() {
      if index > 0 { bytes += Array(",\n".utf8) }
      bytes.append(UInt8(ascii: "["))
      for (place, text) in [call.id, call.what, call.people, call.file ?? ""].enumerated() {
        if place > 0 { bytes.append(UInt8(ascii: ",")) }
        JSONBytes.append(text, to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    }
    bytes += Array("\n]);\n".utf8)
    return bytes
  }

  /// The search field and the list of results.
  static func search(_ nights: [Night], into main: inout HTML) {
    main.element("p", ["class": "search"]) { line in
      line.element("label", ["for": "search"], "Find a call by id, person or number ")
      line.open("input", ["id": "search", "type": "search", "autocomplete": "off"])
    }
    main.element("p", ["class": "note"]) {
      $0.prose("It looks among all calls of these nights; `callqa find TEXT` looks in the database.")
    }
    main.element("p", ["class": "note", "id": "searched", "role": "status"], "")
    main.element("section", ["class": "table", "id": "found", "hidden": ""]) { section in
      section.element("ol", ["class": "nights", "aria-label": "Calls that were found"]) { _ in }
    }
    main.element("ul", ["id": "nights", "hidden": ""]) { list in
      for night in nights { list.element("li", ["data-place": Escape.path(place(night))], night.name) }
    }
  }

  /// Loads one night after the other, latest first, until there are enough results. Each night is requested once, and
  /// the last thirty are kept.
  static let searchScript = """
    "use strict";
    const field = document.getElementById("search");
    const found = document.getElementById("found");
    const list = found.querySelector("ol");
    const searched = document.getElementById("searched");
    const most = 100;
    const kept = 30;
    const nights = [...document.querySelectorAll("#nights li")].map((item) => ({
      place: item.dataset.place, name: item.textContent, run: null, calls: null, absent: false,
    }));
    const plain = (text) => text.toLowerCase();
    const bare = (text) => plain(text).replace(/[\\s().\\/-]/g, "");
    let loading = null;
    let turn = 0;
    window.callqaNight = (run, calls) => {
      if (!loading) return;
      loading.run = run;
      loading.calls = calls;
    };
    const load = (night) => new Promise((done) => {
      const script = document.createElement("script");
      script.src = `${night.place}calls.js`;
      loading = night;
      const end = () => { night.absent = night.calls === null; loading = null; script.remove(); done(); };
      script.onload = end;
      script.onerror = end;
      document.head.append(script);
    });
    let queue = Promise.resolve();
    const ready = (night) => {
      queue = queue.then(() => (night.calls || night.absent ? null : load(night)));
      return queue;
    };
    const show = (night, [id, what, people, file]) => {
      const item = document.createElement("li");
      const name = document.createElement(file ? "a" : "b");
      name.textContent = id;
      if (file) name.href = night.place + file.split("/").map(encodeURIComponent).join("/");
      item.append(name, ` ${night.name} ${what} ${people}`);
      if (!file) {
        const command = document.createElement("code");
        const word = night.run === null ? id : `${night.run}/${id}`;
        command.textContent = `callqa call ${/^[\\w@%+=:,.\\/-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\\\''")}'`}`;
        item.append(" · no page; ", command);
      }
      list.append(item);
    };
    const search = async () => {
      const own = ++turn;
      const word = plain(field.value.trim());
      list.replaceChildren();
      found.hidden = true;
      searched.textContent = "";
      if (word.length < 2) return;
      const digits = bare(word).length > 3 ? bare(word) : null;
      let [count, calls, absent, looked] = [0, 0, 0, 0];
      for (const [index, night] of nights.entries()) {
        searched.textContent = `Looking in ${night.name} …`;
        await ready(night);
        if (own !== turn) return;
        looked += 1;
        if (night.absent) absent += 1;
        for (const call of night.calls || []) {
          calls += 1;
          const text = `${call[0]} ${call[2]}`;
          if (!plain(text).includes(word) && !(digits && bare(text).includes(digits))) continue;
          count += 1;
          if (count <= most) show(night, call);
        }
        found.hidden = count === 0;
        if (index >= kept) night.calls = null;
        if (count >= most) break;
      }
      const some = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;
      const parts = [count > most ? `${count} calls found, ${most} shown` : `${some(count, "call")} found`];
      parts.push(` among ${some(calls, "call")} of ${some(looked, "night")}`);
      if (looked < nights.length) parts.push(`; ${some(nights.length - looked, "earlier night")} not looked at: a longer word finds fewer`);
      if (absent) parts.push(`; the calls of ${some(absent, "night")} cannot be searched here (made before this release, or not loaded): callqa find looks in the database`);
      searched.textContent = parts.join("") + ".";
    };
    field.addEventListener("input", search);
    """
}
