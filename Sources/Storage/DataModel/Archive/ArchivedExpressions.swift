extension ArchiveDecoder {
  /// Archives nest expressions as deep as a person writes them.
  private static let deepestExpression = 30

  /// An expression as its format text, or `nil` where its class is not known.
  func expressionText(_ object: Object, depth: Int = 0) throws -> String? {
    guard depth < ArchiveDecoder.deepestExpression else {
      throw damage("an expression is nested too deep")
    }
    let fields = object.fields
    switch object.className {
    case "NSSelfExpression": return "SELF"
    case "NSKeyPathSpecifierExpression": return try string(fields["NSKeyPath"])
    case "NSConstantValueExpression": return try constantText(fields["NSConstantValue"])
    case "NSKeyPathExpression":
      let path = try items(fields["NSArguments"]).first.flatMap { try self.object($0) }
      let operand = try self.object(fields["NSOperand"])
      guard let path, let text = try expressionText(path, depth: depth + 1) else { return nil }
      guard let operand, operand.className != "NSSelfExpression" else { return text }
      return try expressionText(operand, depth: depth + 1).map { "\($0).\(text)" }
    case "NSFunctionExpression":
      guard let selector = try string(fields["NSSelectorName"]) else { return nil }
      let arguments = try items(fields["NSArguments"]).map { argument in
        try self.object(argument).flatMap { try expressionText($0, depth: depth + 1) }
      }
      let texts = arguments.compactMap(\.self)
      guard texts.count == arguments.count else { return nil }
      return "\(selector)(\(texts.joined(separator: ", ")))"
    default: return nil
    }
  }

  /// A predicate as its format text, or `nil` where it is of an unknown kind.
  func predicateText(_ object: Object, depth: Int = 0) throws -> String? {
    guard depth < ArchiveDecoder.deepestExpression else {
      throw damage("a predicate is nested too deep")
    }
    switch object.className {
    case "NSComparisonPredicate":
      guard let left = try self.object(object.fields["NSLeftExpression"]),
        let right = try self.object(object.fields["NSRightExpression"]),
        let number = try self.object(object.fields["NSPredicateOperator"])?
          .fields["NSOperatorType"]?.integer,
        let leftText = try expressionText(left, depth: depth + 1),
        let rightText = try expressionText(right, depth: depth + 1)
      else { return nil }
      let operators: [Int64: String] = [
        0: "<", 1: "<=", 2: ">", 3: ">=", 4: "==", 5: "!=", 6: "MATCHES", 7: "LIKE",
        8: "BEGINSWITH", 9: "ENDSWITH", 10: "IN", 99: "CONTAINS",
      ]
      return operators[number].map { "\(leftText) \($0) \(rightText)" }
    case "NSCompoundPredicate":
      let parts = try items(object.fields["NSSubpredicates"]).map { part in
        try self.object(part).flatMap { try predicateText($0, depth: depth + 1) }
      }
      let texts = parts.compactMap(\.self)
      guard texts.count == parts.count else { return nil }
      switch object.fields["NSCompoundPredicateType"]?.integer {
      case 0: return texts.first.map { "NOT (\($0))" }
      case 1: return texts.map { "(\($0))" }.joined(separator: " AND ")
      case 2: return texts.map { "(\($0))" }.joined(separator: " OR ")
      default: return nil
      }
    default: return nil
    }
  }

  private func constantText(_ value: PropertyList?) throws -> String? {
    switch try resolved(value) {
    case nil: "nil"
    case .boolean(let value)?: value ? "YES" : "NO"
    case .integer(let value)?: "\(value)"
    case .real(let value)?: "\(value)"
    case .string(let text)?: "\"\(text)\""
    default: nil
    }
  }
}
