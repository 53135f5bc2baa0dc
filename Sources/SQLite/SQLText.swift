/// Quotes text for SQL where no parameter can be bound: in a command to be copied, in the definition of a view.
package enum SQLText {
  /// A string literal.
  package static func literal(_ text: String) -> String { "'\(text.replacing("'", with: "''"))'" }
}
