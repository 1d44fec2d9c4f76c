extension StoreCalibration {
  /// The source that measures, for the test target of an app.
  package static var source: String {
    String(decoding: PackageResources.StoreCalibration_txt, as: UTF8.self)
  }
}
