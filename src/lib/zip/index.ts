export { type ByteSource, checkBytes, openZipFile, readDirectory, ZipError, type ZipFile } from "./reader.ts";
export { crc32, type ZipEntry, ZipWriter } from "./writer.ts";
