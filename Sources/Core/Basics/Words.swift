/// Text for commands that the user will type.
package enum ShellWord {
  /// Quotes a string as one shell word; a string without special characters is returned unchanged.
  package static func quoted(_ text: String) -> String {
    let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+:=@,")
    guard text.isEmpty || !text.allSatisfy(plain.contains) else { return text }
    return "'" + text.replacing("'", with: "'\\''") + "'"
  }
}

extension String {
  /// The string with its first letter capitalized.
  package var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }

  /// The components of a key path: `folder` and `name` for `folder.name`.
  package var pathNames: [String] {
    split(separator: ".", omittingEmptySubsequences: false).map { String($0) }
  }
}
