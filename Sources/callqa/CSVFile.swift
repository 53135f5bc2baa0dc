import Bytes
import IO

/// The rows of a CSV file that a command line names, of `largest` bytes at most.
///
/// Throws a wrong command line where it cannot be read, or is no CSV.
func csvRows(of path: String, largest: Int) throws -> [[String]] {
  do {
    return try CSVReader.rows(of: allBytes(of: InputFile(path: path, largest: largest)))
  } catch let error as BytesError {
    throw Failure(.wrongCommandLine, "\(path): \(error.reason)")
  } catch let error as CSVReader.Failure {
    throw Failure(.wrongCommandLine, "\(path): \(error.reason)")
  }
}
