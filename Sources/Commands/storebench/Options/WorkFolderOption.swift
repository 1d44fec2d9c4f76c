import ArgumentParser

/// Where generated stores are kept and copies of stores are worked on.
struct WorkFolderOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Where generated stores are kept and copies are worked on: the disk that is measured.",
      valueName: "folder"
    )
  )
  var workFolder = ".storebench"

  var cacheFolder: String { workFolder + "/stores" }
  var scratchFolder: String { workFolder + "/work" }
}
