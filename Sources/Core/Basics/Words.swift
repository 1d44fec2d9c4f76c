/// Text in commands that a reader is to type.
package enum ShellWord {
  /// The text as a shell takes it for one word, as it is where that does.
  package static func quoted(_ text: String) -> String {
    let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+:=@,")
    guard text.isEmpty || !text.allSatisfy(plain.contains) else { return text }
    return "'" + text.replacing("'", with: "'\\''") + "'"
  }
}

extension String {
  /// The text with a capital letter at its start.
  package var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
