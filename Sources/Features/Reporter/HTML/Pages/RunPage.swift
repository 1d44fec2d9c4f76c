import Basics
import Compare
import Foundation
import Reporting
import Runner

/// The page of a run: what was found, then a section for each workload.
struct RunPage {
  private let document: ResultDocument
  private let dimensions: [CaseDimensions]
  private let series: SeriesNumbers

  init(of document: ResultDocument) {
    self.document = document
    dimensions = document.workloads.map { CaseDimensions(of: $0.cases) }
    series = SeriesNumbers(dimensions)
  }

  var page: ReportPage {
    var page = ReportPage(
      title: "StoreBench report: \(name)",
      kicker: Inline("StoreBench report · \(name) · \(PageFacts.day(of: document.environment))"),
      headline: headline,
      footer: PageFacts.footer(made: "the result")
    )
    page.lead = Inline(outcomes)
    page.facts = PageFacts.facts(of: document)
    var names = SectionNames()
    let ids = document.workloads.map { names.unique($0.workload) }
    page.findings = findings(linking: ids)
    page.sections = document.workloads.indices.map { index in
      let workload = document.workloads[index]
      return WorkloadPage(workload, dimensions[index], series)
        .section(id: ids[index], findings: answers(of: workload))
    }
    return page
  }

  /// The folder that all workloads are of, or the only workload.
  private var name: String {
    let names = document.workloads.map(\.workload)
    if names.count == 1, let name = names.first { return name }
    let folders = Set(names.map { $0.split(separator: "/").dropLast().joined(separator: "/") })
    if folders.count == 1, let folder = folders.first, !folder.isEmpty { return folder }
    return Figures.counted(names.count, "workload")
  }

  private var headline: Inline {
    let cases = document.workloads.flatMap(\.cases)
    let failed = cases.filter { !$0.hasMeasured }.count
    if failed > 0 {
      return Inline("\(failed) of \(Figures.counted(cases.count, "case")) failed")
    }
    guard let first = document.leadingFindings.first else {
      return Inline("\(name): \(Figures.counted(cases.count, "case")) measured and verified")
    }
    return Inline((document.workloads.count == 1 ? "" : "\(first.workload): ") + first.claim)
  }

  private func findings(linking ids: [String]) -> ReportPage.Findings? {
    let names = document.workloads.map(\.workload)
    let items = document.leadingFindings.map { finding in
      let place = names.firstIndex(of: finding.workload).map { index in
        Inline("Evidence: ") + .link(finding.workload, to: ids[index]) + ", "
      }
      return ReportPage.Findings.Item(
        claim: finding.sentences,
        evidence: (place ?? "") + Inline(finding.basis)
      )
    }
    guard !items.isEmpty else { return nil }
    let levels = Set(document.leadingFindings.compactMap(\.evidence.confidence))
    let level = levels.min().map { "\(Figures.significant($0 * 100)) % " } ?? ""
    return ReportPage.Findings(
      items: items,
      remark: Inline(
        "Numbers in parentheses are \(level)intervals, simultaneous over all pairs of a workload. "
          + "They are based on the variation between trials of this run on this machine."
      )
    )
  }

  /// What a section says of its workload: the first finding, and those that do not open the page.
  private func answers(of workload: WorkloadResult) -> [Finding] {
    let leading = document.leadingFindings
    let rest = workload.findings.dropFirst().filter { !leading.contains($0) }
    return document.workloads.count == 1 ? rest : workload.findings.prefix(1) + rest
  }

  private var outcomes: String {
    let cases = document.workloads.flatMap(\.cases)
    let passed = cases.filter(\.hasMeasured).count
    let workloads = Figures.counted(document.workloads.count, "workload")
    let result =
      passed == cases.count
      ? "All \(passed) passed verification." : "\(passed) of them passed verification."
    return "\(Figures.counted(cases.count, "case")) in \(workloads) ran\(onStore). \(result)"
  }

  private var onStore: String {
    let stores = Set(document.workloads.map(\.store))
    guard stores.count == 1, let store = stores.first,
      let most = store.objects.max(by: { ($0.value, $1.key) < ($1.value, $0.key) })
    else { return "" }
    let objects = store.objects.values.reduce(0, +)
    return " on a store of \(objects.grouped) objects, \(most.value.grouped) of them \(most.key)"
  }
}

extension Finding {
  /// The claim, and its figures after it.
  var sentences: Inline {
    .strong(claim + ".") + (detail.isEmpty ? "" : Inline(" \(detail)."))
  }
}

/// What every page shows of where and how it was measured.
enum PageFacts {
  static func day(of environment: Environment) -> String {
    String(environment.startedAt.prefix { $0 != "T" })
  }

  static func footer(made source: String) -> Inline {
    Inline(
      "One file that makes no network requests. Made by StoreBench from \(source): the same input "
        + "gives the same bytes. StoreBench measures the storage work, not Apple's own code."
    )
  }

  static func facts(of document: ResultDocument) -> [ReportPage.Fact] {
    var stores: [String] = []
    for workload in document.workloads {
      let seed = workload.store.seed.map { ", seed \($0)" } ?? ""
      let text = "\(workload.store.source)\(seed), \(Figures.bytes(workload.store.bytes))"
      if !stores.contains(text) { stores.append(text) }
    }
    let store = stores.count == 1 ? stores : [Figures.counted(stores.count, "store")]
    return (stores.isEmpty ? [] : [.init("Store", Inline(store.joined()))])
      + facts(of: document.environment, pragmas: document.workloads.first?.pragmas ?? [:])
  }

  static func facts(
    of environment: Environment,
    pragmas: [String: String] = [:]
  ) -> [ReportPage.Fact] {
    let settings = [
      pragmas["journal_mode"]?.uppercased(),
      pragmas["page_size"].flatMap { Double($0) }.map {
        "pages of \(ChartAxis.Quantity.binaryBytes.text($0))"
      },
    ].compactMap { $0 }
    let build = [environment.build, String(environment.commit.prefix(8))].filter { !$0.isEmpty }
    return [
      .init(
        "Machine",
        Inline(
          "\(environment.machine), \(Figures.counted(environment.cores, "core")), "
            + Figures.bytes(environment.memoryBytes)
        )
      ),
      .init("System", Inline("\(environment.operatingSystem), \(environment.fileSystem)")),
      .init("SQLite", Inline(([environment.sqliteVersion] + settings).joined(separator: ", "))),
      .init("Build", Inline(build.joined(separator: ", "))),
    ]
  }
}

/// Identifiers for sections, made of their names.
struct SectionNames {
  private var taken: Set<String> = ["findings"]

  /// Letters, digits and hyphens that no other section of the page has.
  mutating func unique(_ name: String) -> String {
    let letters = name.lowercased().map { character in
      character.isASCII && (character.isLetter || character.isNumber) ? character : "-"
    }
    let words = String(letters).split(separator: "-").joined(separator: "-")
    let start = words.isEmpty ? "section" : String(words.prefix(60))
    var id = start
    var number = 2
    while !taken.insert(id).inserted {
      id = "\(start)-\(number)"
      number += 1
    }
    return id
  }
}

/// A result as a page that a browser shows without asking the network for anything.
package struct HTMLReport: ReportFormat {
  package static let name = "html"

  package init() {}

  package func write(_ document: ResultDocument, to sink: (String) throws -> Void) throws {
    try document.check()
    try sink(RunPage(of: document).page.html)
  }
}
