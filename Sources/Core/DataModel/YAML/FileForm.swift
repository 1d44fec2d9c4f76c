/// The form of a value in a YAML file.
///
/// The JSON Schema and the reference are generated from it.
package indirect enum FileForm: Sendable {
  case text
  /// Text in a format that the schema does not check, described by the string:
  /// `a time such as 90 s`.
  case written(String)
  case boolean
  case number
  case integer(ClosedRange<Int>)
  /// A number from 0 to 1.
  case share
  case choice([String])
  case mapping([FileKey])
  /// A mapping with arbitrary keys; the string is the placeholder for a key in the reference, such
  /// as `ENTITY`.
  case named(String, FileForm)
  case list(FileForm)
  case either([FileForm])
  /// Any value; details are in the key's description.
  case any

  /// Either a single value or a list of values.
  package static func oneOrMore(_ form: FileForm) -> FileForm { .either([form, .list(form)]) }

  package static func choice<Words: CaseIterable & RawRepresentable<String>>(
    among words: Words.Type
  ) -> FileForm {
    .choice(words.allCases.map(\.rawValue))
  }
}

/// A declared key of a mapping in a YAML file.
///
/// Readers accept only declared keys, and the JSON Schema and the reference list the same keys.
package struct FileKey: Sendable {
  package let name: String
  package let form: FileForm
  /// The key's meaning, in one line without a final period.
  package let summary: String
  package let isRequired: Bool

  package init(_ name: String, _ form: FileForm, _ summary: String, isRequired: Bool = false) {
    self.name = name
    self.form = form
    self.summary = summary
    self.isRequired = isRequired
  }
}

/// The form of a type's values in a file, and the function that reads them.
package struct FileValue<Value>: Sendable {
  package let form: FileForm
  /// Reads a value; returns `nil` after reporting a problem.
  package let read: @Sendable (YAMLValue) -> Value?

  package init(_ form: FileForm, read: @escaping @Sendable (YAMLValue) -> Value?) {
    self.form = form
    self.read = read
  }
}

extension FileValue<String> {
  package static var text: FileValue { FileValue(.text) { $0.string() } }
}

extension FileValue<Bool> {
  package static var boolean: FileValue { FileValue(.boolean) { $0.boolean() } }
}

extension FileValue<Double> {
  package static var share: FileValue { FileValue(.share) { $0.share() } }
}

extension FileValue<Int> {
  package static func integer(_ range: ClosedRange<Int>) -> FileValue {
    FileValue(.integer(range)) { $0.integer(in: range) }
  }
}

extension FileValue<UInt64> {
  package static var seed: FileValue {
    FileValue(.integer(0...Int.max)) { $0.integer(in: 0...Int.max).map { UInt64($0) } }
  }
}

extension FileValue<[String: String]> {
  package static func texts(_ name: String) -> FileValue {
    FileValue(.named(name, .text)) { value in
      var pairs: [String: String] = [:]
      for entry in value.mapping()?.entries ?? [] { pairs[entry.key] = entry.value.string() }
      return pairs
    }
  }
}

extension FileValue where Value: Sendable {
  package static func choice(of choices: [(word: String, value: Value)]) -> FileValue {
    FileValue(.choice(choices.map(\.word))) { $0.choice(of: choices) }
  }
}

extension FileValue where Value: CaseIterable & RawRepresentable<String> & Sendable {
  package static var choice: FileValue { FileValue(.choice(among: Value.self)) { $0.choice() } }
}

/// A key of a mapping, and the property that its value sets.
package struct FileField<Root>: Sendable {
  package let key: FileKey
  private let fill: (@Sendable (YAMLValue, inout Root) -> Void)?

  package init<Value>(
    _ name: String,
    _ property: any WritableKeyPath<Root, Value> & Sendable,
    _ value: FileValue<Value>,
    _ summary: String,
    isRequired: Bool = false
  ) {
    key = FileKey(name, value.form, summary, isRequired: isRequired)
    fill = { yaml, root in
      if let value = value.read(yaml) { root[keyPath: property] = value }
    }
  }

  package init<Value>(
    _ name: String,
    _ property: any WritableKeyPath<Root, Value?> & Sendable,
    _ value: FileValue<Value>,
    _ summary: String
  ) {
    key = FileKey(name, value.form, summary)
    fill = { yaml, root in root[keyPath: property] = value.read(yaml) }
  }

  /// Creates a key whose value is read by the caller instead of setting a property.
  package init(_ name: String, _ form: FileForm, _ summary: String, isRequired: Bool = false) {
    key = FileKey(name, form, summary, isRequired: isRequired)
    fill = nil
  }

  fileprivate func fill(_ root: inout Root, from mapping: YAMLMapping) {
    guard let fill else { return }
    let value = key.isRequired ? mapping.required(key.name) : mapping[key.name]
    if let value { fill(value, &root) }
  }
}

extension YAMLMapping {
  /// Sets each property whose key is in the mapping; leaves the other properties unchanged.
  package func fill<Root>(_ root: inout Root, _ fields: [FileField<Root>]) {
    for field in fields { field.fill(&root, from: self) }
  }
}

/// The kinds of YAML files, each recognized by a key that the other kinds lack.
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

  private init?(of top: YAMLMapping) {
    guard let kind = Self.allCases.first(where: { top[$0.sign] != nil }) else { return nil }
    self = kind
  }

  /// Returns the root mapping of a file of this kind.
  ///
  /// A file of another kind is reported as a single problem, with the command that reads it.
  package func top(_ value: YAMLValue, knowing keys: [FileKey]) -> YAMLMapping? {
    guard let mapping = value.mapping() else { return nil }
    if let found = FileKind(of: mapping), found != self, mapping[sign] == nil || self == .model {
      let remedy =
        self == .recipe && found == .model
        ? "write 'storebench new recipe NAME --store FILE'" : "use '\(found.command)'"
      value.report("this is \(found.rawValue), not \(rawValue); \(remedy)")
      return nil
    }
    return value.mapping(knowing: keys)
  }
}

extension YAMLValue {
  /// A mapping with declared keys; any other key is reported.
  package func mapping(knowing keys: [FileKey]) -> YAMLMapping? {
    mapping(knowing: keys.map(\.name))
  }

  /// Reads a word as a case of an enumeration.
  package func choice<Word: CaseIterable & RawRepresentable<String>>() -> Word? {
    choice(of: Word.allCases.map { (word: $0.rawValue, value: $0) })
  }

  /// Reads a number that meets a condition; for any other number, reports the requirement.
  package func number(being requirement: String, where isValid: (Double) -> Bool) -> Double? {
    guard let number = number() else { return nil }
    guard isValid(number) else {
      report("\(name) must be \(requirement), not \(number)")
      return nil
    }
    return number
  }

  /// A number from 0 to 1.
  package func share() -> Double? { number(being: "from 0 to 1") { (0...1).contains($0) } }

  /// Reads one of several names; for any other name, reports that `owner` lacks it.
  package func name(among names: [String], lackedBy owner: String) -> String? {
    guard let name = string() else { return nil }
    if names.contains(name) { return name }
    report("\(owner) '\(name)'\(didYouMean(name, among: names))")
    return nil
  }
}
