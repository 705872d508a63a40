/** The real standard output, while everybody else's writes go to standard error. */
export interface GuardedStdout {
  write(text: string): boolean
  release(): void
}

/**
 * Keeps standard output for the protocol: a stray `console.log` in some dependency would otherwise
 * put a line between two messages, and the client would give up on the connection.
 */
export function guardStdout(): GuardedStdout {
  const { stdout, stderr } = process
  const write = stdout.write.bind(stdout)
  stdout.write = stderr.write.bind(stderr)
  return {
    write,
    release() {
      stdout.write = write
    },
  }
}
