/** SHA-256 as hexadecimal text. Node's crypto takes longer to load than most commands to run, and most need no hash. */
export function sha256(...parts: readonly (string | Uint8Array)[]): string {
  const hash = process.getBuiltinModule('node:crypto').createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('hex')
}
