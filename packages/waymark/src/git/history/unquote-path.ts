const ESCAPES: Readonly<Record<string, number>> = {
  a: 0x07,
  b: 0x08,
  t: 0x09,
  n: 0x0a,
  v: 0x0b,
  f: 0x0c,
  r: 0x0d,
}

/** A path as git prints it: in quotes, with escapes, if it has characters that a line cannot hold. */
export function unquotePath(printed: string): string {
  if (!printed.startsWith('"') || !printed.endsWith('"')) return printed
  const bytes: Buffer[] = []
  const inner = printed.slice(1, -1)
  for (const [part] of inner.matchAll(/\\(?:[0-7]{3}|.)|[^\\]+/gs)) {
    if (!part.startsWith('\\')) bytes.push(Buffer.from(part, 'utf8'))
    else if (/^\\[0-7]{3}$/.test(part)) bytes.push(Buffer.from([Number.parseInt(part.slice(1), 8)]))
    else bytes.push(Buffer.from([ESCAPES[part[1] ?? ''] ?? part.charCodeAt(1)]))
  }
  return Buffer.concat(bytes).toString('utf8')
}
