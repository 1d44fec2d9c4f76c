#if SwiftSource
  import SwiftSyntax

  extension DeclarationReader {
    /// The result of a body: its only expression or its first `return`, with the values appended to
    /// a local variable.
    ///
    /// An availability check is assumed to succeed. Other branches, loops and statements that may
    /// change the local variable make the result unknown.
    func result(of body: CodeBlockItemListSyntax) -> SourceExpression? {
      var locals: [String: [SourceExpression]] = [:]
      var result: SourceExpression?
      var (isOpen, hasEffects, hasReturned) = (false, false, false)
      func visit(_ items: CodeBlockItemListSyntax) {
        for item in items {
          if hasReturned { return }
          switch item.item {
          case .expr(let expression):
            if let branch = expression.as(IfExprSyntax.self) {
              visit(branch)
              continue
            }
            let read = expressions.expression(expression)
            if let (name, values) = Self.appended(read) {
              locals[name, default: []] += values
            } else {
              (result, hasEffects) = (read, true)
            }
          case .stmt(let statement):
            if let value = statement.as(ReturnStmtSyntax.self)?.expression {
              (result, hasReturned) = (expressions.expression(value), true)
            } else if let branch = statement.as(ExpressionStmtSyntax.self)?.expression
              .as(IfExprSyntax.self)
            {
              visit(branch)
            } else {
              isOpen = true
            }
          case .decl(let declaration):
            if let variable = declaration.as(VariableDeclSyntax.self) {
              for property in properties(variable) {
                locals[property.name] = property.value.map { [$0] } ?? []
              }
            } else if let condition = declaration.as(IfConfigDeclSyntax.self) {
              let clause = condition.clauses.first {
                $0.poundKeyword.tokenKind == .poundElse
                  || BuildCondition.answer($0.condition) != .no
              }
              if case .statements(let items)? = clause?.elements { visit(items) }
            }
          }
        }
      }
      func visit(_ branch: IfExprSyntax) {
        let isThere = branch.conditions.allSatisfy {
          $0.condition.is(AvailabilityConditionSyntax.self)
        }
        if isThere { visit(branch.body.statements) } else { isOpen = true }
      }
      visit(body)
      guard let found = result else { return nil }
      var values: [SourceExpression]?
      if case .names(let parts) = found.kind, parts.count == 1 { values = locals[parts[0]] }
      guard !isOpen, !hasEffects || values == nil else {
        return SourceExpression(kind: .other, text: found.text, line: found.line)
      }
      guard let values else { return found }
      let operators = Array(repeating: "+", count: max(0, values.count - 1))
      return SourceExpression(
        kind: values.count == 1 ? values[0].kind : .operation(values, operators),
        text: found.text,
        line: found.line
      )
    }

    /// The variable's name and the appended values in `list.append(X.self)` and `list += [X.self]`.
    private static func appended(_ expression: SourceExpression) -> (String, [SourceExpression])? {
      if case .call(let callee, let arguments) = expression.kind,
        case .names(let parts) = callee.kind, parts.count == 2, parts[1] == "append",
        let value = arguments.first?.value
      {
        guard arguments.first?.label == nil else { return (parts[0], [value]) }
        let list = SourceExpression(kind: .list([value]), text: value.text, line: value.line)
        return (parts[0], [list])
      }
      guard case .operation(let operands, let operators) = expression.kind, operators == ["+="],
        operands.count == 2, case .names(let parts) = operands[0].kind, parts.count == 1
      else { return nil }
      return (parts[0], [operands[1]])
    }
  }
#endif
