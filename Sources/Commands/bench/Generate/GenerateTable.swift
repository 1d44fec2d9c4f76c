import Foundation

/// What `bench generate` prints.
struct GenerateTable {
  let race: LoadingRace

  func printHeadline(rounds: Int) {
    Swift.print(
      """
      \(race.recipe): \(race.rows.rowCount) rows of all tables, \(race.bytes >> 20) MB.
      Medians of \(rounds) alternated rounds; in brackets the smallest and the largest
      ratio of a round.

      \(line("", "rows/s", "MB/s", "ratio", ""))
      """
    )
  }

  func print(_ results: LoadingRace.Results) {
    print("bulk writer, 2 threads", results.twoThreads, results.ratios)
    print("bulk writer, 1 thread", results.oneThread, results.oneThreadRatios)
    print("plain loader, \(results.cachePages) pages of cache", results.loader, nil)
  }

  func printSynced(_ results: LoadingRace.Results) {
    print("with sync: bulk writer, 2 threads", results.twoThreads, results.ratios)
    print("with sync: plain loader", results.loader, nil)
  }

  func print(imported seconds: Double?, loader: Double) {
    guard let seconds else {
      return Swift.print("  there is no sqlite3 to import with: the ratios are void")
    }
    print("sqlite3 .import", [seconds], [loader / seconds])
    if seconds < loader { Swift.print("  the plain loader is slower: the ratios are void") }
  }

  func print(scaling results: LoadingRace.Results) {
    let ceiling = results.ceilings.median
    let speedup = results.speedups.median
    Swift.print("")
    print(
      "two threads over one",
      String(format: "%.2f, %.2f of the machine's %.2f", speedup, speedup / ceiling, ceiling)
    )
  }

  func print(copy: Double, bulk: Double) {
    print("time to write over time of cp", String(format: "%.2f", bulk / copy))
  }

  func print(large report: BulkRun.Report, than results: LoadingRace.Results, bytes: Int64) {
    let ratio = report.seconds / results.twoThreads.median
    print("ten times as many tasks", String(format: "%.1f s, %.1f times", report.seconds, ratio))
    print("its file", "\(bytes >> 20) MB")
    print(
      "peak memory, and of ten times as many",
      "\(results.peakBytes >> 20) MB, \(report.peakBytes >> 20) MB"
    )
  }

  private func print(_ name: String, _ seconds: [Double], _ ratios: [Double]?) {
    let rate = Double(race.rows.rowCount) / seconds.median
    let interval = ratios.flatMap { ratios in
      ratios.count > 1
        ? String(format: "[%.2f %.2f]", ratios.min() ?? 0, ratios.max() ?? 0) : nil
    }
    Swift.print(
      line(
        "  " + name,
        String(Int(rate)),
        String(Int(Double(race.bytes) / seconds.median) >> 20),
        ratios.map { String(format: "%.2f", $0.median) } ?? "",
        interval ?? ""
      )
    )
  }

  private func print(_ name: String, _ text: String) {
    Swift.print("  " + name.padding(toLength: 38, withPad: " ", startingAt: 0) + text)
  }

  private func line(_ name: String, _ columns: String...) -> String {
    let cells = zip(columns, [10, 7, 8, 15]).map { text, width in
      String(repeating: " ", count: max(0, width - text.count)) + text
    }
    let first = name.padding(toLength: max(38, name.count), withPad: " ", startingAt: 0)
    return first + cells.joined()
  }
}
