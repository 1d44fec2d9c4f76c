/// Writes the document of a run while its cases finish, for at most a fiftieth of the run's time: each
/// case makes the document longer, so that writing it every time would take longer than the cases.
///
/// What a killed process loses is at most fifty times what the last writing took.
package final class ResultSaving {
  /// The newest document, written or not.
  package private(set) var latest: ResultDocument?
  private let folder: RunFolder
  private let now: () -> ContinuousClock.Instant
  private var isWritten = true
  private var due: ContinuousClock.Instant

  /// Saves to a folder that exists.
  package init(to folder: RunFolder, now: @escaping () -> ContinuousClock.Instant = { .now }) {
    self.folder = folder
    self.now = now
    due = now()
  }

  /// Takes what a run has now.
  ///
  /// A part of a plan is written each time: what the others of a cluster know of it is this file.
  ///
  /// Throws what ``RunFolder/write(_:)`` does.
  package func take(_ document: ResultDocument) throws {
    latest = document
    isWritten = false
    if document.plan != nil || now() >= due { try finish() }
  }

  /// Writes what is not written yet: to be called when a run ends, however it does.
  ///
  /// Throws what ``RunFolder/write(_:)`` does.
  package func finish() throws {
    guard let latest, !isWritten else { return }
    let start = now()
    try folder.write(latest)
    isWritten = true
    let end = now()
    due = end + (end - start) * 49
  }
}
