/** Writes to a stream; `done` is called when the text has left the process. */
export type Write = (text: string, done?: () => void) => boolean

let protocolWrite: Write | undefined

/**
 * Keeps standard output for the protocol and returns the way to write it. A stray `console.log` in some
 * dependency would otherwise put a line between two messages, and the client would give up on the
 * connection; such lines go to standard error. The guard stays for as long as the process lives: even
 * after the last answer nobody at the other end wants to read anything else.
 */
export function guardStdout(): Write {
  if (protocolWrite === undefined) {
    const { stdout, stderr } = process
    protocolWrite = stdout.write.bind(stdout)
    stdout.write = stderr.write.bind(stderr)
  }
  return protocolWrite
}
