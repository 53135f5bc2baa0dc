/// What a playout does in ten milliseconds.
enum PlayoutStep {
  case play
  case wait
  case lengthen
  case shorten
}
