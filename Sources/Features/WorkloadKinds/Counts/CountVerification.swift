import Basics
import PersistentStore
import Runner

extension CountWorkload {
  func outcome(
    of session: BadgeCounts,
    _ expected: ExpectedStore,
    _ content: CountContent
  ) throws -> Outcome {
    let items = try EntityNames(content.entity, in: expected.layout)
    let lists = try EntityNames(content.listEntity, in: expected.layout)
    let list = try items.column(CountContent.list)
    let next = "\(list) % \(parameters.lists) + 1"
    let count = "(SELECT count(*) FROM \(items.table) WHERE \(list) = \(lists.table).Z_PK)"
    var (outcome, badges) = (Outcome(), [Int64: Int]())
    for save in 0..<parameters.saves {
      let moved = "Z_PK IN (\(parameters.moved(by: save).map(String.init).joined(separator: ", ")))"
      if parameters.strategy == .maintained {
        let touched = [list, next].map { "SELECT \($0) FROM \(items.table) WHERE \(moved)" }
        try expected.change(
          "UPDATE \(lists.table) SET Z_OPT = Z_OPT + 1 "
            + "WHERE Z_PK IN (\(touched.joined(separator: " UNION ")))"
        )
      }
      try expected.change(
        "UPDATE \(items.table) SET \(list) = \(next), Z_OPT = Z_OPT + 1 WHERE \(moved)"
      )
      badges = try expected.numbers("SELECT Z_PK, \(count) FROM \(lists.table)")
      if outcome.problems.isEmpty, session.shown[save] != badges {
        outcome.problems = [
          "the badges after save \(save + 1) are not equal to the numbers of objects"
        ]
      }
    }
    if parameters.keepsCounts {
      let number = try lists.column(CountContent.number)
      try expected.change("UPDATE \(lists.table) SET \(number) = \(count)")
    }
    let text = badges.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    let bytes = Array(text.joined(separator: ",").utf8)
    outcome.digest = { SHA256.hash(data: bytes).hexadecimal }
    return outcome
  }
}
