import DataModel

/// What a custom stage does to every value of an attribute.
///
/// But for archives, each one can be told in Swift and in SQL alike, and gives the same value.
enum ValueTransformation: String, CaseIterable, Hashable, Sendable {
  /// The one that fits the attribute's type.
  case automatic
  /// Numbers that were counted from 0 are counted from 1.
  case oneBased
  /// ASCII letters become capitals.
  case uppercased
  /// Times lose their fractions of a second.
  case wholeSeconds
  /// Zeros become ones: a guide's stage, which takes 0 for a priority that nobody has set.
  case zeroToOne
  /// The archives of a Transformable become the JSON of a Codable type; what is no archive of
  /// Foundation's own values stays.
  case codableJSON

  /// The transformation of an attribute; `nil` where none fits its type.
  func resolved(for attribute: Attribute) -> ValueTransformation? {
    let fitting: [ValueTransformation] =
      switch attribute.type {
      case .integer16, .integer32, .integer64: [.oneBased, .zeroToOne]
      case .string: [.uppercased]
      case .date: [.wholeSeconds]
      case .transformable: attribute.allowsExternalStorage ? [] : [.codableJSON]
      default: []
      }
    return self == .automatic ? fitting.first : fitting.first { $0 == self }
  }

  /// The value that a stage makes of another.
  func callAsFunction(_ value: Value, of type: AttributeType) -> Value {
    switch (self, value) {
    case (.oneBased, .integer(let number)):
      .integer(number < Self.largest(type) ? number + 1 : number)
    case (.uppercased, .text(let text)):
      .text(
        String(
          decoding: text.utf8.map { (0x61...0x7a).contains($0) ? $0 - 32 : $0 },
          as: UTF8.self
        )
      )
    case (.wholeSeconds, .real(let seconds)): .real(seconds.rounded(.down))
    case (.zeroToOne, .integer(0)): .integer(1)
    case (.codableJSON, .blob(let bytes)):
      (try? ArchivedValue(archive: bytes)?.json()).map { Value.blob($0) } ?? value
    default: value
    }
  }

  /// The SQL of the value that the stage makes of a column's.
  func sql(_ column: String, of type: AttributeType) -> String {
    switch self {
    case .oneBased: "\(column) + (\(column) < \(Self.largest(type)))"
    case .uppercased: "upper(\(column))"
    case .wholeSeconds:
      "CAST(\(column) AS INTEGER) - (\(column) < CAST(\(column) AS INTEGER))"
    case .zeroToOne: "\(column) + (\(column) = 0)"
    case .codableJSON, .automatic: column
    }
  }

  private static func largest(_ type: AttributeType) -> Int64 {
    switch type {
    case .integer16: Int64(Int16.max)
    case .integer32: Int64(Int32.max)
    default: .max
    }
  }
}
