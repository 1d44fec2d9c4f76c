import Basics
import DataModel
import PersistentStore
import Runner
import SQLite

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
    var outcome = Outcome()
    var badges: [Int64: Int] = [:]
    for save in 0..<parameters.saves {
      let moved = "Z_PK IN (\(parameters.moved(by: save).map(String.init).joined(separator: ", ")))"
      if parameters.strategy == .maintained {
        try expected.change(
          """
          UPDATE \(lists.table) SET Z_OPT = Z_OPT + 1 WHERE Z_PK IN (
            SELECT \(list) FROM \(items.table) WHERE \(moved)
            UNION SELECT \(next) FROM \(items.table) WHERE \(moved))
          """
        )
      }
      try expected.change(
        "UPDATE \(items.table) SET \(list) = \(next), Z_OPT = Z_OPT + 1 WHERE \(moved)"
      )
      badges = try expected.numbers(
        "SELECT Z_PK, (SELECT count(*) FROM \(items.table) WHERE \(list) = lists.Z_PK) "
          + "FROM \(lists.table) AS lists"
      )
      if outcome.problems.isEmpty, session.shown[save] != badges {
        outcome.problems = [
          "the badges after save \(save + 1) are not equal to the numbers of objects"
        ]
      }
    }
    if parameters.keepsCounts {
      try expected.change(
        "UPDATE \(lists.table) SET \(lists.column(CountContent.number)) = "
          + "(SELECT count(*) FROM \(items.table) WHERE \(list) = \(lists.table).Z_PK)"
      )
    }
    let text = badges.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    outcome.digest = SHA256.hash(data: Array(text.joined(separator: ",").utf8)).hexadecimal
    return outcome
  }
}
