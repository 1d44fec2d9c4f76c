import Measurement

/// The result as a person reads it in a terminal: the run, a table a workload, the claims.
package struct ResultTable: ReportFormat {
  package static let name = "table"

  /// Whether escape sequences may colour the text.
  package var isColoured: Bool
  /// Columns of the terminal, at least 60.
  package var width: Int

  package init(isColoured: Bool = false, width: Int = 80) {
    self.isColoured = isColoured
    self.width = max(width, 60)
  }

  package func write(_ document: ResultDocument, to sink: (String) throws -> Void) throws {
    for line in lines(of: document) { try sink(line + "\n") }
  }

  private func lines(of document: ResultDocument) -> [String] {
    let palette = Palette(isColoured: isColoured)
    let headline = Headline(document, width: width, palette: palette)
    let previous = [nil] + document.workloads.map(Optional.some)
    let sections = zip(document.workloads, previous).map {
      WorkloadSection(
        $0,
        after: $1,
        commonPragmas: headline.commonPragmas,
        width: width,
        palette: palette
      )
    }
    let claims = ClaimsSection(document.workloads, width: width, palette: palette).lines()
    let closing = Closing(document, sections: sections, width: width, palette: palette)
    let tables = sections.flatMap { [""] + $0.lines() }
    let findings = claims.isEmpty ? [] : [""] + claims
    return headline.lines() + tables + findings + [""] + closing.lines()
  }
}
