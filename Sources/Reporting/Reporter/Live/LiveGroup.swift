import Measurement

/// The cases of one workload file, with what their IDs have in common said once.
struct LiveGroup {
  let workload: String
  let cases: [LiveCaseResult]
  /// Parameters that every case has with the same value, in the order of the IDs.
  let common: [String]

  private init(workload: String, cases: [LiveCaseResult]) {
    self.workload = workload
    self.cases = cases
    let lists = cases.map { Self.parameters(of: $0) }
    let first = cases.count > 1 ? lists.first ?? [] : []
    common = first.filter { parameter in lists.allSatisfy { $0.contains(parameter) } }
  }

  /// Groups of neighbours, in the order of the result.
  static func groups(of result: LiveResult) -> [LiveGroup] {
    var lists: [[LiveCaseResult]] = []
    for found in result.cases {
      if lists.last?.first?.workload == found.workload {
        lists[lists.count - 1].append(found)
      } else {
        lists.append([found])
      }
    }
    return lists.map { LiveGroup(workload: $0.first?.workload ?? "", cases: $0) }
  }

  /// What tells the case from the others of its file.
  func name(of found: LiveCaseResult) -> String {
    let own = Self.parameters(of: found).filter { !common.contains($0) }
    return own.isEmpty ? found.id : own.joined(separator: ",")
  }

  private static func parameters(of found: LiveCaseResult) -> [String] {
    let prefix = found.workload + "/"
    guard found.id.hasPrefix(prefix) else { return [] }
    return found.id.dropFirst(prefix.count).split(separator: ",").map(String.init)
  }
}
