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

/// The kinds of YAML files, each recognized by a key that the others have not.
package enum FileKind: String, CaseIterable, Sendable {
  case workload = "a workload file"
  case profile = "a profile"
  case recipe = "a recipe"
  case model = "a model file"

  private var sign: String {
    switch self {
    case .workload: "kind"
    case .profile: "profile"
    case .recipe: "format"
    case .model: "entities"
    }
  }

  private var command: String {
    switch self {
    case .workload: "storebench run"
    case .profile, .recipe: "storebench generate"
    case .model: "storebench inspect"
    }
  }

  /// The kind whose sign is among the keys of a file's top mapping.
  private init?(of top: YAMLMapping) {
    guard let kind = Self.allCases.first(where: { top[$0.sign] != nil }) else { return nil }
    self = kind
  }

  /// The top mapping of a file of this kind; a file of another kind is one problem, with the command
  /// that reads it.
  package func top(_ value: YAMLValue, knowing keys: [FileKey]) -> YAMLMapping? {
    guard let mapping = value.mapping() else { return nil }
    if let found = FileKind(of: mapping), found != self, mapping[sign] == nil || self == .model {
      value.report("this is \(found.rawValue), not \(rawValue); use '\(found.command)'")
      return nil
    }
    return value.mapping(knowing: keys)
  }
}

extension YAMLValue {
  /// A mapping with the keys that are declared; any other key is reported.
  package func mapping(knowing keys: [FileKey]) -> YAMLMapping? {
    mapping(knowing: keys.map(\.name))
  }
}
