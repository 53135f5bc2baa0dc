/// The action of a playout in ten milliseconds.
enum PlayoutStep {
  case play
  case wait
  case lengthen
  case shorten
}
