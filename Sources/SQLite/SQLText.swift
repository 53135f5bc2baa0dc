/// Texts as they stand in SQL, where no parameter can be bound: in a command that a person copies, in the definition of a view.
package enum SQLText {
  /// A literal.
  package static func literal(_ text: String) -> String { "'\(text.replacing("'", with: "''"))'" }
}
