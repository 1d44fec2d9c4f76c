import Foundation
import PackagePlugin

/// Writes the versions of the resolved packages to a Swift file, for results and `--version`.
///
/// The app's package determines the versions, so StoreBench's own sources cannot contain them.
@main struct ResolvedVersions: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    let versions = context.package.dependencies.map { "\"\($0.package.id)\": \"\($0.version)\"" }
    let file = context.pluginWorkDirectoryURL.appending(path: "ResolvedVersions.swift")
    let text = """
      /// The package versions that were resolved for this build.
      enum ResolvedVersions {
        static let packages: [String: String] = [\(versions.sorted().joined(separator: ", "))]
      }
      """
    return [
      .buildCommand(
        displayName: "Write the resolved versions",
        // Use the system's shell, because a tool of this package would have to be compiled in every
        // build.
        executable: URL(filePath: "/bin/sh"),
        arguments: [
          "-c", "printf '%s\\n' \"$1\" >\"$2\"", "sh", text, file.path(percentEncoded: false),
        ],
        outputFiles: [file]
      )
    ]
  }
}

extension PackageDependency {
  /// The version or branch of the resolved package; `local` for a folder.
  fileprivate var version: String {
    if case .repository(_, let version, _) = package.origin { return version }
    if case .registry(_, let version) = package.origin { return version }
    return "local"
  }
}
