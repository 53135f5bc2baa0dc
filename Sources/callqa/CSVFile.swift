import Bytes
import IO

/// Reads the rows of a CSV file of at most `largest` bytes.
///
/// Throws a command-line error if it cannot be read or is not CSV.
func csvRows(of path: String, largest: Int) throws -> [[String]] {
  do {
    return try CSVReader.rows(of: allBytes(of: InputFile(path: path, largest: largest)))
  } catch let error as BytesError {
    throw Failure(.wrongCommandLine, "\(path): \(error.reason)")
  } catch let error as CSVReader.Failure {
    throw Failure(.wrongCommandLine, "\(path): \(error.reason)")
  }
}
