/// Writes a run's document as its cases finish, using at most a fiftieth of the run's time.
///
/// The document grows with each case, so writing it after every case could take longer than the
/// cases themselves. If the process is killed, the results since the last write are lost: at most
/// about fifty times the duration of that write.
package final class ResultSaving {
  /// The latest document, even if it is not written yet.
  package private(set) var latest: ResultDocument?
  private let folder: RunFolder
  private let now: () -> ContinuousClock.Instant
  private var isWritten = true
  private var due: ContinuousClock.Instant

  /// Creates a saver for an existing folder.
  package init(to folder: RunFolder, now: @escaping () -> ContinuousClock.Instant = { .now }) {
    self.folder = folder
    self.now = now
    due = now()
  }

  /// Takes the current document of a run, and writes it if a write is due.
  ///
  /// If the run executes a plan document, every result document is written, because the other
  /// machines of a cluster see the run's progress only in the result file.
  ///
  /// - Throws: the errors of ``RunFolder/write(_:)``.
  package func take(_ document: ResultDocument) throws {
    latest = document
    isWritten = false
    if document.plan != nil || now() >= due { try finish() }
  }

  /// Writes the latest document if it is not written yet.
  ///
  /// Call this method at the end of every run, even one that fails.
  ///
  /// - Throws: the errors of ``RunFolder/write(_:)``.
  package func finish() throws {
    guard let latest, !isWritten else { return }
    let start = now()
    try folder.write(latest)
    isWritten = true
    let end = now()
    due = end + (end - start) * 49
  }
}
