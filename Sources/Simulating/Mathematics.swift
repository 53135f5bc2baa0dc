import Glibc

/// Logarithm and exponential, named apart from what Swift's overloads would guess.
func natural(_ value: Double) -> Double { log(value) }
func exponential(_ value: Double) -> Double { exp(value) }
