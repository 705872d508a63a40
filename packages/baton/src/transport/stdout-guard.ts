/** Writes to a stream; `done` is called when the text is flushed. */
export type Write = (text: string, done?: () => void) => boolean

let protocolWrite: Write | undefined

/**
 * Reserves standard output for the protocol and returns the function that writes to it. Other output, such as a stray
 * `console.log` in a dependency, would corrupt the stream of messages; it is redirected to standard error. The guard is
 * never removed, because the client may read until the process exits.
 */
export function guardStdout(): Write {
  if (protocolWrite === undefined) {
    const { stdout, stderr } = process
    protocolWrite = stdout.write.bind(stdout)
    stdout.write = stderr.write.bind(stderr)
  }
  return protocolWrite
}
