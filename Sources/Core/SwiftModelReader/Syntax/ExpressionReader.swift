#if SwiftSource
  import SwiftParser
  import SwiftSyntax

  struct ExpressionReader {
    /// The maximum depth of types and expressions, which are shallow in real models.
    private static let deepest = 40
    private static let longestText = 80

    let lines: LineTable

    func type(_ type: TypeSyntax, depth: Int = 0) -> SourceType {
      guard depth < Self.deepest else { return .other("…") }
      switch type.as(TypeSyntaxEnum.self) {
      case .identifierType(let type):
        return named([type.name.plain], type.genericArgumentClause, depth: depth)
      case .memberType(let member):
        guard case .named(let parts, _) = self.type(member.baseType, depth: depth + 1) else {
          return .other(text(type))
        }
        return named(parts + [member.name.plain], member.genericArgumentClause, depth: depth)
      case .optionalType(let type): return .optional(self.type(type.wrappedType, depth: depth + 1))
      case .implicitlyUnwrappedOptionalType(let type):
        return .optional(self.type(type.wrappedType, depth: depth + 1))
      case .arrayType(let type): return .array(self.type(type.element, depth: depth + 1))
      case .dictionaryType(let type):
        return .dictionary(
          self.type(type.key, depth: depth + 1),
          self.type(type.value, depth: depth + 1)
        )
      case .attributedType(let type): return self.type(type.baseType, depth: depth + 1)
      case .tupleType(let tuple):
        if tuple.elements.count == 1, let only = tuple.elements.first, only.firstName == nil {
          return self.type(only.type, depth: depth + 1)
        }
        return .other(text(type))
      default: return .other(text(type))
      }
    }

    /// `Optional<X>`, `Array<X>` and `Dictionary<K, V>` become the types of their short forms.
    private func named(_ parts: [String], _ clause: GenericArgumentClauseSyntax?, depth: Int)
      -> SourceType
    {
      let arguments = (clause?.arguments ?? []).map { argument -> SourceType in
        guard case .type(let type) = argument.argument else { return .other("_") }
        return self.type(type, depth: depth + 1)
      }
      switch (parts.last, arguments.count) {
      case ("Optional", 1): return .optional(arguments[0])
      case ("Array", 1): return .array(arguments[0])
      case ("Dictionary", 2): return .dictionary(arguments[0], arguments[1])
      default: return .named(parts, arguments: arguments)
      }
    }

    func expression(_ syntax: ExprSyntax, depth: Int = 0) -> SourceExpression {
      SourceExpression(
        kind: depth < Self.deepest ? kind(syntax, depth: depth) : .other,
        text: text(syntax),
        line: lines.line(of: syntax)
      )
    }

    func arguments(_ list: LabeledExprListSyntax, depth: Int = 0) -> [SourceExpression.Argument] {
      list.map {
        SourceExpression.Argument(
          label: $0.label?.plain,
          value: expression($0.expression, depth: depth + 1)
        )
      }
    }

    private func kind(_ syntax: ExprSyntax, depth: Int) -> SourceExpression.Kind {
      switch syntax.as(ExprSyntaxEnum.self) {
      case .integerLiteralExpr(let literal): return Self.integer(literal.literal.text)
      case .floatLiteralExpr(let literal):
        return Double(literal.literal.text.filter { $0 != "_" }).map { .real($0) } ?? .other
      case .stringLiteralExpr(let literal):
        if let text = literal.representedLiteralValue { return .text(text) }
        // A string with interpolated values is still a string, but its value is unknown.
        return .call(SourceExpression(kind: .names(["String"]), text: "String", line: 0), [])
      case .booleanLiteralExpr(let literal): return .boolean(literal.literal.text == "true")
      case .nilLiteralExpr: return .null
      case .prefixOperatorExpr(let prefix):
        let operand = expression(prefix.expression, depth: depth + 1).kind
        switch (prefix.operator.text, operand) {
        case ("-", .integer(let value)): return .integer(0 &- value)
        case ("-", .real(let value)): return .real(-value)
        case ("!", .boolean(let value)): return .boolean(!value)
        default: return .other
        }
      case .arrayExpr(let list):
        return .list(list.elements.map { expression($0.expression, depth: depth + 1) })
      case .dictionaryExpr: return .dictionary
      case .declReferenceExpr(let name): return .names([name.baseName.plain])
      case .memberAccessExpr(let member): return self.member(member, depth: depth)
      case .functionCallExpr(let call):
        let callee = expression(call.calledExpression, depth: depth + 1)
        return .call(callee, arguments(call.arguments, depth: depth))
      case .keyPathExpr(let path): return keyPath(path, depth: depth)
      case .sequenceExpr(let sequence): return operation(sequence, depth: depth)
      case .tupleExpr(let tuple):
        guard tuple.elements.count == 1, let only = tuple.elements.first else { return .other }
        return expression(only.expression, depth: depth + 1).kind
      case .forceUnwrapExpr(let inner): return expression(inner.expression, depth: depth + 1).kind
      case .tryExpr(let inner): return expression(inner.expression, depth: depth + 1).kind
      case .genericSpecializationExpr(let special):
        guard case .names(let parts) = expression(special.expression, depth: depth + 1).kind else {
          return .other
        }
        return .type(named(parts, special.genericArgumentClause, depth: depth))
      case .typeExpr(let type): return .type(self.type(type.type, depth: depth + 1))
      default: return .other
      }
    }

    private func member(_ member: MemberAccessExprSyntax, depth: Int) -> SourceExpression.Kind {
      let name = member.declName.baseName.plain
      guard let base = member.base else { return .names(["", name]) }
      let inner = expression(base, depth: depth + 1)
      if case .names(let parts) = inner.kind { return .names(parts + [name]) }
      if case .type(.named(let parts, _)) = inner.kind { return .names(parts + [name]) }
      return .member(inner, name)
    }

    private func keyPath(_ path: KeyPathExprSyntax, depth: Int) -> SourceExpression.Kind {
      let parts = path.components.prefix(Self.deepest).compactMap { component -> String? in
        guard case .property(let property) = component.component else { return nil }
        return property.declName.baseName.plain
      }
      return .keyPath(root: path.root.map { type($0, depth: depth + 1) }, parts)
    }

    /// Reads alternating operands and operators; a cast applies to the operand before it.
    private func operation(_ sequence: SequenceExprSyntax, depth: Int) -> SourceExpression.Kind {
      var (operands, operators): ([SourceExpression], [String]) = ([], [])
      var elements = sequence.elements.makeIterator()
      while let element = elements.next() {
        if let binary = element.as(BinaryOperatorExprSyntax.self) {
          operators.append(binary.operator.text)
        } else if element.is(UnresolvedAsExprSyntax.self) {
          guard let target = elements.next()?.as(TypeExprSyntax.self), let last = operands.popLast()
          else { return .other }
          let cast = SourceExpression.Kind.cast(last, type(target.type, depth: depth + 1))
          operands.append(SourceExpression(kind: cast, text: last.text, line: last.line))
        } else if element.is(AssignmentExprSyntax.self) {
          operators.append("=")
        } else if let ternary = element.as(UnresolvedTernaryExprSyntax.self) {
          // The value between the question mark and the colon belongs to the operator's node, so
          // this node counts as two operators.
          operators += ["?", ":"]
          operands.append(expression(ternary.thenExpression, depth: depth + 1))
        } else {
          operands.append(expression(element, depth: depth + 1))
        }
      }
      guard operands.count == 1 else { return .operation(operands, operators) }
      return operands[0].kind
    }

    private static func integer(_ text: String) -> SourceExpression.Kind {
      let digits = text.filter { $0 != "_" }
      for (prefix, radix) in [("0x", 16), ("0b", 2), ("0o", 8)] where digits.hasPrefix(prefix) {
        return Int64(digits.dropFirst(2), radix: radix).map { .integer($0) } ?? .other
      }
      return Int64(digits).map { .integer($0) } ?? .other
    }

    func text(_ node: some SyntaxProtocol) -> String {
      let (start, end) = (
        node.positionAfterSkippingLeadingTrivia, node.endPositionBeforeTrailingTrivia
      )
      return lines.text(from: start.utf8Offset, to: end.utf8Offset, longest: Self.longestText)
    }
  }

  extension TokenSyntax {
    /// The name without the backticks around a keyword.
    var plain: String {
      let text = text
      return text.hasPrefix("`") ? text.filter { $0 != "`" } : text
    }
  }

  struct LineTable {
    let file: String
    let bytes: [UInt8]
    private let starts: [Int]

    init(file: String, bytes: [UInt8]) {
      self.file = file
      self.bytes = bytes
      starts = [0] + bytes.indices.filter { bytes[$0] == 10 }.map { $0 + 1 }
    }

    func line(of node: some SyntaxProtocol) -> Int {
      line(at: node.positionAfterSkippingLeadingTrivia.utf8Offset)
    }

    func line(at offset: Int) -> Int {
      var (low, high) = (0, starts.count)
      while low < high {
        let middle = (low + high) / 2
        if starts[middle] <= offset { low = middle + 1 } else { high = middle }
      }
      return max(1, low)
    }

    func text(from start: Int, to end: Int, longest: Int) -> String {
      guard start < end, end <= bytes.count else { return "" }
      let cut = min(end, start + longest)
      let words = String(decoding: bytes[start..<cut], as: UTF8.self)
        .split { $0.isWhitespace || $0.isNewline }
      return words.joined(separator: " ") + (cut < end ? "…" : "")
    }
  }
#endif
