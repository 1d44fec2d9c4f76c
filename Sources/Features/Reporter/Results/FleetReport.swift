import Basics
import Forecasting
import Runner

/// The result of a fleet: shares of users over each budget, and what the users' stores are.
struct FleetReport {
  private let document: ResultDocument
  private let counts: [FleetCount]

  /// `nil` for a result that is not of a fleet.
  init?(_ document: ResultDocument) {
    counts = FleetCount.all(of: document)
    guard !counts.isEmpty else { return nil }
    self.document = document
  }

  var page: ReportPage {
    TextPage(
      title: "Fleet of \(Figures.counted(users, "user"))",
      kicker: "StoreBench report",
      made: "the result",
      [report(width: 100)]
    ).page
  }

  private var users: Int { counts.first?.members.count ?? 0 }

  func report(width: Int) -> ReportText {
    var report = ReportText(width: width)
    report.heading("Fleet of \(Figures.counted(users, "user"))")
    report.table(stores)
    for count in counts {
      report.heading(count.caseID)
      report.table(
        ResourceBudget.launch.map { ("over \($0.title)", Self.text(count.share(over: $0))) }
          + Resource.allCases.map { ($0.rawValue, Self.text(count.values(of: $0), of: $0)) }
      )
      let failed = count.members.filter { $0.failure != nil }
      if !failed.isEmpty {
        report.paragraph(
          "\(Figures.counted(failed.count, "user")) failed, and are left out of the shares:"
        )
        report.list(failed.map { "user \($0.user.number): \($0.failure ?? "")" }, most: 5)
      }
    }
    return report
  }

  /// Sizes, ages and dirt, and the disk that the stores took.
  private var stores: [(name: String, value: String)] {
    let members = counts.first?.members ?? []
    let sizes = members.map { Double($0.user.objects) }.sorted()
    let aged = members.count { $0.user.years > 0 }
    let dirty = members.count { $0.user.dirt > 0 }
    let versions = Dictionary(grouping: members, by: \.user.version).filter { $0.key != "" }
      .map { "\($0.value.count) of \($0.key.split(separator: "/").last ?? "")" }.sorted()
    let disk = counts.flatMap { $0.values(of: .disk) }.max() ?? 0
    let bytes = members.reduce(0) { $0 + $1.storeBytes }
    return [
      (
        "objects",
        "median \(Self.quantile(sizes, 0.5).threeDigits.grouped), 99 in 100 up to "
          + "\(Self.quantile(sizes, 0.99).threeDigits.grouped), all up to "
          + "\((sizes.last ?? 0).threeDigits.grouped)"
      ),
      (
        "stores",
        "\(aged) aged, \(dirty) dirty, \(members.count - aged - dirty) fresh"
      ),
      ("versions", versions.isEmpty ? "that of the recipe" : versions.joined(separator: ", ")),
      (
        "disk",
        "\(Figures.bytes(Double(bytes))) of stores in total; made, measured and deleted one by one, "
          + "so at most \(Figures.bytes(disk)) at a time"
      ),
    ]
  }

  static func quantile(_ sorted: [Double], _ share: Double) -> Double {
    sorted.isEmpty ? 0 : sorted[min(Int(share * Double(sorted.count)), sorted.count - 1)]
  }

  private static func text(_ values: [Double], of resource: Resource) -> String {
    let sorted = values.sorted()
    guard let last = sorted.last else { return "unknown" }
    let texts = [quantile(sorted, 0.5), quantile(sorted, 0.99), last].map { value in
      resource == .time ? Figures.seconds(value) : Figures.bytes(value)
    }
    return "median \(texts[0]), 99 in 100 up to \(texts[1]), all up to \(texts[2])"
  }

  /// `7.5 % (4.3 % to 12.1 %), 15 of 200`.
  static func text(_ share: FleetCount.Share?) -> String {
    guard let share else { return "unknown" }
    let counted = Double(share.over) / Double(share.users)
    return "\(counted.percent) (\(share.interval.lower.percent) to "
      + "\(share.interval.upper.percent)), \(share.over) of \(share.users)"
  }
}

extension FleetCount {
  /// What the users took, those that failed left out.
  func values(of resource: Resource) -> [Double] { passed.compactMap { $0.taken?[resource] } }
}
