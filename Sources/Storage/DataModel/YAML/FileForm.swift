/// What a value of a YAML file may be: the JSON Schema and the reference are made from it.
package indirect enum FileForm: Sendable {
  case text
  /// A text of a form that a schema does not check, such as `a time such as 90 s`.
  case written(String)
  case boolean
  case number
  case integer(ClosedRange<Int>)
  /// A number from 0 to 1.
  case share
  case choice([String])
  case mapping([FileKey])
  /// A mapping whose keys the file chooses, such as `entity`.
  case named(String, FileForm)
  case list(FileForm)
  case either([FileForm])
  /// Whatever the key's description says.
  case any

  /// One value, or a list of them.
  package static func oneOrMore(_ form: FileForm) -> FileForm { .either([form, .list(form)]) }

  package static func choice<Words: CaseIterable & RawRepresentable<String>>(
    among words: Words.Type
  ) -> FileForm {
    .choice(words.allCases.map(\.rawValue))
  }
}

/// A key of a mapping in a YAML file, declared once: readers know no other keys, and the JSON Schema
/// and the reference list the same ones.
package struct FileKey: Sendable {
  package let name: String
  package let form: FileForm
  /// What it stands for, in one line without a full stop.
  package let summary: String
  package let isRequired: Bool

  package init(_ name: String, _ form: FileForm, _ summary: String, isRequired: Bool = false) {
    self.name = name
    self.form = form
    self.summary = summary
    self.isRequired = isRequired
  }
}

extension YAMLValue {
  /// A mapping with the keys that are declared; any other key is reported.
  package func mapping(knowing keys: [FileKey]) -> YAMLMapping? {
    mapping(knowing: keys.map(\.name))
  }
}
