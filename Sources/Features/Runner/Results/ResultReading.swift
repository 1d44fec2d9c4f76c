import Basics
import DataModel
import Foundation

extension ResultDocument {
  /// Reads a result from a `.json.gz` or `.json` file, or from the folder of a run.
  ///
  /// Throws `Refusal.noResult(at:)`, or a refusal that says what is wrong with the file.
  package init(readingFrom path: String) throws {
    try self.init(readingFrom: path, limit: 256 << 20)
  }

  // The limit holds for the packed and for the unpacked bytes: some ten million measurements.
  init(readingFrom path: String, limit: Int) throws {
    do {
      let file = try Self.resultFile(at: path)
      do {
        let bytes = try InputFile.bytes(of: file, limit: limit)
        if bytes.starts(with: Self.baselineTitle.utf8) {
          throw Refusal.badInput("it is a baseline: in 'compare', name it before the result")
        }
        let isCompressed = bytes.starts(with: [0x1f, 0x8b])
        try self.init(json: isCompressed ? Gzip.decompress(bytes, limit: limit) : bytes)
      } catch let error where !(error is InputFile.Failure) {
        throw Refusal.notAResult(file, "\(error)")
      }
    } catch let failure as InputFile.Failure {
      throw Refusal.unreadable(path, failure)
    }
  }

  /// The first line of a baseline, which Compare writes.
  package static let baselineTitle = "# StoreBench baseline"

  private static func resultFile(at path: String) throws -> String {
    guard try InputFile.isFolder(path) else { return path }
    let names = [RunFolder.resultName, "result.json"]
    let files = names.map { "\(path)/\($0)" }
    guard let file = files.first(where: { access($0, F_OK) == 0 }) else {
      throw Refusal.notAResult(
        path,
        "the folder has neither \(names.joined(separator: " nor "))"
      )
    }
    return file
  }
}

extension Refusal {
  package static func noResult(at path: String) -> Refusal {
    .noInput(
      "there is no result at '\(path)': name a result file or the folder of a run"
        + didYouMean(fileAt: path)
    )
  }

  package static func notAResult(_ path: String, _ reason: String) -> Refusal {
    .badInput("'\(path)' is not a result: \(reason)")
  }

  /// The refusal of a result that cannot be read as a file.
  package static func unreadable(_ path: String, _ failure: InputFile.Failure) -> Refusal {
    switch failure {
    case .missing: .noResult(at: path)
    case .unreadable(let reason): .cannotRead(path, reason: reason)
    case .notRegular: .notAResult(path, "it is neither a file nor a folder")
    default: .notAResult(path, failure.reason)
    }
  }
}
