/// A share of 0–1 as per cent: `21 %`, `3.4 %`, `5 %`.
package func lossPercent(_ share: Double) -> String {
  let tenths = Int((share * 1000).rounded())
  return tenths < 100 && tenths % 10 != 0
    ? "\(tenths / 10).\(tenths % 10) %" : "\(Int((share * 100).rounded())) %"
}
