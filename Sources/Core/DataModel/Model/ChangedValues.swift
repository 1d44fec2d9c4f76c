import Basics

// The values that the steps of a scenario assign to attributes; also used to draft steps.
extension Attribute {
  /// The value that a scenario's change with the given number assigns, within the model's limits.
  package func changed(_ number: Int) -> Value { within(anyValue(number)) }

  /// The value that a scenario's change with the given number assigns if the model sets no limits.
  package func anyValue(_ number: Int) -> Value {
    switch type {
    case .string: .text("changed the \(number). time")
    case .uri: .text("https://example.org/changed/\(number)")
    case .double, .date: .real(700_000_000 + Double(number) + 0.25)
    case .float: .real(Double(number % 100_000) + 0.25)
    case .boolean: .integer(Int64(number % 2))
    case .integer16: .integer(Int64(number % 32_768))
    default: .integer(Int64(1_000_000 + number))
    }
  }

  /// The reason why the model does not allow a value; `nil` if the model allows it.
  package func limit(brokenBy value: Value) -> String? {
    let size: Double
    var unit = ""
    switch value {
    case .integer(let number): size = Double(number)
    case .real(let number): size = number
    case .text(let text):
      size = Double(text.count)
      unit = " characters"
    case .null, .blob: return nil
    }
    if let least = minimum.number, size < least {
      return "has at least \(least.shortest)\(unit): write such a value"
    }
    if let most = maximum.number, size > most {
      return "has at most \(most.shortest)\(unit): write such a value"
    }
    return nil
  }

  /// The value, changed to meet the model's limits if it violates them.
  package func within(_ value: Value) -> Value {
    guard limit(brokenBy: value) != nil else { return value }
    let (least, most) = (minimum.number, maximum.number)
    switch value {
    case .text(let text):
      // Clamp the model's bounds, which may be negative or too large for the length of a text.
      func length(_ bound: Double) -> Int { Int(max(0, min(bound, 1_000_000))) }
      let padded = text + String(repeating: "x", count: max(0, length(least ?? 0) - text.count))
      return .text(String(padded.prefix(most.map(length) ?? padded.count)))
    case .integer(let number):
      guard let least, let most, least <= most, most - least < 0x1p40,
        let low = Int64(exactly: least), let high = Int64(exactly: most)
      else { return minimum == .null ? maximum : minimum }
      return .integer(low + abs(number % (high - low + 1)))
    case .real(let number):
      return .real(max(least ?? -.infinity, min(most ?? .infinity, number)))
    case .null, .blob: return value
    }
  }
}
