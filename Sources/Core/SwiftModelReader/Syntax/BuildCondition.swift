#if SwiftSource
  import SwiftSyntax

  /// Determines which branch of an `#if` is compiled for an iOS app.
  struct BuildCondition {
    enum Answer { case yes, no, unknown }

    static func answer(_ condition: ExprSyntax?, depth: Int = 0) -> Answer {
      guard let condition, depth < 40 else { return .unknown }
      switch condition.as(ExprSyntaxEnum.self) {
      case .booleanLiteralExpr(let literal): return literal.literal.text == "true" ? .yes : .no
      case .prefixOperatorExpr(let prefix) where prefix.operator.text == "!":
        return negated(answer(prefix.expression, depth: depth + 1))
      case .tupleExpr(let tuple) where tuple.elements.count == 1:
        return answer(tuple.elements.first?.expression, depth: depth + 1)
      case .functionCallExpr(let call): return check(call)
      case .declReferenceExpr(let name): return name.baseName.text == "DEBUG" ? .no : .unknown
      case .sequenceExpr(let sequence): return sequenceAnswer(sequence, depth: depth)
      case .infixOperatorExpr(let infix):
        let isAnd = infix.operator.trimmedDescription == "&&"
        let sides = [infix.leftOperand, infix.rightOperand].map { answer($0, depth: depth + 1) }
        return isAnd ? all(sides) : any(sides)
      default: return .unknown
      }
    }

    private static func negated(_ answer: Answer) -> Answer {
      switch answer {
      case .yes: .no
      case .no: .yes
      case .unknown: .unknown
      }
    }

    private static func all(_ answers: [Answer]) -> Answer {
      answers.contains(.no) ? .no : answers.contains(.unknown) ? .unknown : .yes
    }

    private static func any(_ answers: [Answer]) -> Answer {
      answers.contains(.yes) ? .yes : answers.contains(.unknown) ? .unknown : .no
    }

    /// The value of a sequence such as `a && b || c && d`, which the parser has not yet folded into
    /// a tree.
    private static func sequenceAnswer(_ sequence: SequenceExprSyntax, depth: Int) -> Answer {
      var groups: [[Answer]] = [[]]
      for element in sequence.elements {
        if let word = element.as(BinaryOperatorExprSyntax.self)?.operator.text {
          if word == "||" { groups.append([]) }
        } else {
          groups[groups.count - 1].append(answer(element, depth: depth + 1))
        }
      }
      return any(groups.map(all))
    }

    private static let absent: Set = ["AppKit", "Cocoa", "WatchKit", "TVUIKit", "Glibc", "Musl"]

    private static func check(_ call: FunctionCallExprSyntax) -> Answer {
      let argument = call.arguments.first?.expression.trimmedDescription ?? ""
      switch call.calledExpression.trimmedDescription {
      case "os": return argument == "iOS" ? .yes : .no
      case "canImport":
        return absent.contains(argument) ? .no : .yes
      case "swift", "compiler": return argument.hasPrefix(">") ? .yes : .no
      case "targetEnvironment": return .no
      case "arch": return argument == "arm64" ? .yes : .no
      case "hasFeature", "hasAttribute": return .yes
      default: return .unknown
      }
    }
  }
#endif
