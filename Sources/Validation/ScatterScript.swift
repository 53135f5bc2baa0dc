/// A gnuplot script that draws scores against PESQ-WB, a panel a model, stretched segments in another colour.
public func scatterScript(_ study: Study, models: [String], file: String) -> String {
  let columns = min(3, max(1, models.count))
  let rows = (models.count + columns - 1) / columns
  var script = """
    set terminal svg size \(320 * columns),\(300 * rows) font 'sans-serif,11' background '#ffffff'
    set output '\(file)'
    set multiplot layout \(rows),\(columns)
    set key off
    set grid linecolor '#dddddd'
    set xrange [0:100]
    set yrange [1:4.7]
    set xlabel 'score'
    set ylabel 'PESQ-WB'

    """
  for model in models {
    let calm = study.pairs(model) { !$0.isStretched }
    let stretched = study.pairs(model) { $0.isStretched }
    let line = Line(study.pairs(model))
    let agreement = Agreement(study.pairs(model))
    script +=
      "set title '\(model)  r \(number(agreement?.r))  RMSE \(number(agreement?.error, 2))' noenhanced\n"
    script +=
      "plot '-' with points pt 7 ps 0.4 lc '#1f6feb', '-' with points pt 7 ps 0.4 lc '#d1570a', \(line.start)+\(line.slope)*x lc '#888888'\n"
    for pairs in [calm, stretched] {
      // An empty block would stop gnuplot: a point outside of the picture stands for nothing.
      if pairs.isEmpty { script += "-1 -1\n" }
      for pair in pairs { script += "\(pair.figure) \(pair.truth)\n" }
      script += "e\n"
    }
  }
  return script + "unset multiplot\n"
}
