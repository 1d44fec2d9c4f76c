import DataModel
import PersistentStore
import Runner
import SQLite

extension SectionWorkload {
  func outcome(
    of session: SectionSession,
    _ expected: ExpectedStore,
    _ content: SectionContent
  ) throws -> Outcome {
    let names = try EntityNames(content.entity, in: expected.layout)
    var moves: [Int64: Int] = [:]
    for save in 0..<(parameters.operation == .save ? parameters.saves : 0) {
      for key in content.moved(by: save) {
        moves[key, default: 0] += 1
        let values = content.values(of: key, moves: moves[key] ?? 0)
        try expected.set(values, of: key, in: names)
      }
    }
    let date = try names.column(content.date)
    let day = "CAST(\(date) / 86400 AS INTEGER)"
    let section = try content.section.map { try names.column($0) } ?? day
    var list = SectionList()
    list.sections = try expected.read(
      "SELECT CAST(\(section) AS TEXT), count(*) FROM \(names.table) NOT INDEXED "
        + "GROUP BY \(section) ORDER BY \(section)"
    ).map { SectionList.Section(name: $0[0].text ?? "", count: Int($0[1].integer ?? 0)) }
    list.screen = try expected.read(
      "SELECT Z_PK FROM \(names.table) NOT INDEXED ORDER BY \(section), \(date) "
        + "LIMIT \(parameters.screen)"
    ).map { $0[0].integer ?? 0 }
    var outcome = Outcome(digest: { list.digest })
    if session.list.sections != list.sections {
      outcome.problems.append("the sections of the list differ from the store")
    }
    if session.list.screen != list.screen {
      outcome.problems.append("the objects on the screen are not the first objects of the store")
    }
    return outcome
  }
}
