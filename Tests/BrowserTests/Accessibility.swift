import Foundation

/// Questions about a page that a person with other senses would ask, as expressions for the browser.
enum Accessibility {
  /// The script of axe-core, if `scripts/prepare test` could install it.
  static let axe: String? = {
    let tools = Pages.root.appendingPathComponent(".build-tools/lib")
    let files = FileManager.default.enumerator(at: tools, includingPropertiesForKeys: nil)
    let file = files?.lazy.compactMap { $0 as? URL }.first { $0.lastPathComponent == "axe.min.js" }
    return file.flatMap { try? String(contentsOf: $0, encoding: .utf8) }
  }()

  /// What axe-core finds wrong, by rule, with the first element of each.
  static let faults = """
    axe.run(document, { resultTypes: ['violations'] })
      .then((result) => result.violations.map((fault) => fault.id + ': ' + fault.nodes[0].html.slice(0, 160)))
    """

  /// Controls and pictures without a name, table headers without a scope.
  static let nameless = """
    [...document.querySelectorAll('button, svg[role=img], [role=slider], [role=region], [role=toolbar], a, summary, input')]
      .filter((e) => !(e.getAttribute('aria-label') || e.textContent.trim() || (e.labels && e.labels.length)))
      .map((e) => e.outerHTML.slice(0, 120))
      .concat([...document.querySelectorAll('th:not([scope])')].map((e) => e.outerHTML.slice(0, 120)))
    """

  /// Texts whose contrast with what is behind them is under 4.5 (WCAG 2.2, 1.4.3).
  static let poorContrasts = """
    (() => {
      const parse = (text) => (text.match(/[\\d.]+/g) || []).map(Number);
      const light = ([r, g, b]) => {
        const [x, y, z] = [r, g, b].map((v) => { const s = v / 255; return s <= 0.03928 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4; });
        return 0.2126 * x + 0.7152 * y + 0.0722 * z;
      };
      const behind = (e) => {
        for (; e; e = e.parentElement) {
          const colour = parse(getComputedStyle(e).backgroundColor);
          if (colour.length && (colour.length < 4 || colour[3] > 0.9)) return colour;
        }
        return [255, 255, 255];
      };
      const poor = new Set();
      for (const e of document.querySelectorAll('body *')) {
        if (e.closest('svg, script, dialog') || !e.checkVisibility()) continue;
        if (![...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim())) continue;
        // What repeats the cell above is there for those who hear it only.
        if (parse(getComputedStyle(e).color)[3] === 0) continue;
        const [a, b] = [light(parse(getComputedStyle(e).color)), light(behind(e))].sort((p, q) => q - p);
        const ratio = (a + 0.05) / (b + 0.05);
        if (ratio < 4.5) poor.add(e.tagName + '.' + e.className + ' ' + ratio.toFixed(2));
      }
      return [...poor];
    })()
    """

  /// Headings that skip a level, ids that stand twice, and what takes the keyboard's focus without being seen.
  static let disorder = """
    (() => {
      const found = [];
      let before = 0;
      for (const head of document.querySelectorAll('h1, h2, h3, h4')) {
        const level = Number(head.tagName[1]);
        if (level > before + 1) found.push(head.tagName + ' after ' + before + ': ' + head.textContent.slice(0, 60));
        before = level;
      }
      const ids = new Set();
      for (const e of document.querySelectorAll('[id]')) {
        if (ids.has(e.id)) found.push('twice: ' + e.id);
        ids.add(e.id);
      }
      for (const e of document.querySelectorAll('a[href], button, input, select, summary, [tabindex="0"]')) {
        if (e.closest('svg, dialog') || !e.checkVisibility({ visibilityProperty: true })) continue;
        const box = e.getBoundingClientRect();
        const isCut = e.closest('thead') !== null && getComputedStyle(e.closest('thead')).clipPath !== 'none';
        if (isCut || box.width < 1 || box.height < 1) found.push('unseen: ' + e.outerHTML.slice(0, 80));
      }
      return found;
    })()
    """
}
